"""A program changed in one way at a time, to try a change of the compiler around a finding: other operators that run
the changed code, dtypes and their limits, scalars, ranks and sizes, layouts, gradients, dynamic shapes. Each aspect
gets its turn, so that a small sweep has seen all of them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import edits
import options
from replacing import replacements
from source import Change, Source
from variants import dtype_variants

SCALARS = ("300", "-1", "0", "2.5", "2**31 + 1", 'float("nan")')
TAKING_SCALARS = {"add", "sub", "rsub", "mul", "div", "pow", "clamp", "clamp_min", "clamp_max", "full", "full_like"}
TAKING_SCALARS |= {"fill_", "masked_fill", "index_fill", "eq", "ne", "lt", "le", "gt", "ge", "remainder", "fmod"}
TAKING_SCALARS |= {"floor_divide", "where", "threshold", "leaky_relu", "hardtanh", "softplus", "elu", "celu", "lerp"}
NAMED_SCALARS = {"alpha", "beta", "value", "other", "min", "max", "fill_value", "exponent", "weight"}
BACKWARD = {"backward": True, "grad": True}
NARROW = ("int8", "uint8", "float16", "bool")
SIZED = ("one row", "no row", "one more dimension", "without its first")


class Tried(NamedTuple):
    aspect: str
    value: str
    program: Source


def sweep(code: Source, operator: str, siblings: list[str], most: int) -> dict[str, Any]:
    """`operator`: the one in question, as "add"; `siblings`: others that run the changed code, the nearest first. At
    most `most` programs, which differ from the given one and from each other."""
    turns = [sibling_programs(code, operator, siblings), gradients(code), dynamic(code), with_limits(code)]
    turns += [edited(code, aspect, offers) for aspect, offers in aspects_of(code)]
    found: dict[str, Tried] = {}
    for tried in in_turn(turns):
        if len(found) == most:
            break
        if tried.program.text != code.text:
            found.setdefault(tried.program.text, tried)
    return {"variants": [entry(tried) for tried in found.values()]}


def entry(tried: Tried) -> dict[str, Any]:
    given = {"program": tried.program.text, "options": options.read(tried.program.tree) or {}}
    return {"aspect": tried.aspect, "value": tried.value, "unit": "", **given}


def in_turn(turns: list[Iterator[Tried]]) -> Iterator[Tried]:
    while turns:
        for turn in list(turns):
            try:
                yield next(turn)
            except StopIteration:
                turns.remove(turn)


# ---- operators


def sibling_programs(code: Source, operator: str, siblings: list[str]) -> Iterator[Tried]:
    for value, changes in replacements(code, operator, siblings):
        yield from one("siblings", value, code, changes)


# ---- options


def gradients(code: Source) -> Iterator[Tried]:
    present = options.read(code.tree) or {}
    if not present.get("backward"):
        yield from with_options("gradients", "with gradients", code, BACKWARD)
    else:
        yield from with_options("gradients", "without gradients", code, {"backward": False})


def dynamic(code: Source) -> Iterator[Tried]:
    yield from with_options("dynamic shapes", "dynamic", code, {"dynamic": True})
    yield from with_options("dynamic shapes", "dynamic, with gradients", code, {"dynamic": True, **BACKWARD})
    make = code.function_named("get_inputs")
    if make is not None and any(argument.arg == "scale" for argument in make.args.args):
        yield from with_options("dynamic shapes", "two sizes", code, {"dynamic": True, "calls": 2})


def with_options(aspect: str, value: str, code: Source, added: dict[str, Any]) -> Iterator[Tried]:
    together = {**(options.read(code.tree) or {}), **added}
    if not options.unsuited(together, code):
        yield Tried(aspect, value, Source(options.override(code, added)))


# ---- values


def scalars_in(code: Source) -> Iterator[ast.expr]:
    model = code.class_named("Model")
    for owner in ast.walk(model) if model else ():
        if isinstance(owner, ast.BinOp):
            yield from (side for side in (owner.left, owner.right) if is_scalar(side))
        elif isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
            taken = owner.args if owner.func.attr in TAKING_SCALARS else []
            named = [keyword.value for keyword in owner.keywords if keyword.arg in NAMED_SCALARS]
            yield from (node for node in (*taken, *named) if is_scalar(node))


def is_scalar(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def with_scalars(code: Source) -> Iterator[tuple[str, list[Change]]]:
    for node, scalar in itertools.product(scalars_in(code), SCALARS):
        yield f"{code.segment(node)} → {scalar}", [code.replacement(node, f"({scalar})")]


def with_limits(code: Source) -> Iterator[Tried]:
    """A scalar that the dtype may not hold: a dtype and a number changed together."""
    scalars = list(with_scalars(code))
    kinds = [*of_variants(dtype_variants(code)), *of_edits(edits.by_kind(code).get("dtype", []))] if scalars else []
    narrow = [(value, changes) for value, changes in kinds if value.split()[-1] in NARROW]
    for (scalar, changes), (dtype, casts) in itertools.product(scalars, narrow):
        yield from one("limits", f"{dtype}, {scalar}", code, [*casts, *changes])


def aspects_of(code: Source) -> Iterator[tuple[str, Iterator[tuple[str, list[Change]]]]]:
    kinds = edits.by_kind(code)
    sized = [edit for edit in kinds.get("shape", []) if any(words in edit.description for words in SIZED)]
    others = [edit for edit in kinds.get("shape", []) if edit.description.startswith("size ")]
    yield "dtypes", itertools.chain(of_variants(dtype_variants(code)), of_edits(kinds.get("dtype", [])))
    yield "scalars", with_scalars(code)
    yield "ranks", of_edits(sized)
    yield "sizes", of_edits(others)
    yield "values", of_edits([edit for edit in kinds.get("constant", []) if edit.description.startswith("input ")])
    yield "layouts", of_edits(kinds.get("layout", []))


def of_edits(offered: list[edits.Edit]) -> Iterator[tuple[str, list[Change]]]:
    yield from ((edit.description, edit.changes) for edit in offered)


def of_variants(found: Iterator[Any]) -> Iterator[tuple[str, list[Change]]]:
    yield from ((variant.value, variant.changes) for variant in found if variant.changes)


def edited(code: Source, aspect: str, offers: Iterator[tuple[str, list[Change]]]) -> Iterator[Tried]:
    for value, changes in offers:
        yield from one(aspect, value, code, changes)


def one(aspect: str, value: str, code: Source, changes: list[Change]) -> Iterator[Tried]:
    """Nothing if the edits do not fit together."""
    try:
        if changes:
            yield Tried(aspect, value, code.changed_together([changes]))
    except SyntaxError:
        return
