"""Variants of a reduced program, for its extent: one operator, dtype, size, mode or number of threads changed,
everything else kept. Each answers "what else is affected?"; only a run can tell whether it runs at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import operators
import options
from families import SIBLINGS
from inputs import Inputs, inputs_of
from operands import computing
from source import Change, Source, dotted, last_name

SIGNS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("div", "/"),
}
DTYPES = (
    ("float32", "float64", "float16", "bfloat16"),
    ("int64", "int32", "int16", "int8", "uint8"),
    ("bool", "uint8"),
    ("complex64", "complex128"),
)
OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
OTHER_NAMES |= {"short": "int16", "cfloat": "complex64", "cdouble": "complex128"}
FLOATING_CALLS = {"randn", "rand", "ones", "zeros", "linspace", "logspace", "eye"}
INTEGER_CALLS = {"randint", "arange", "randperm"}
SIZED_CALLS = {"randn", "rand", "ones", "zeros", "empty", "full", "randint", "arange"}
MOST_OPERATORS = 6
MOST_SIZES = 2
LARGEST_SIZE = 4096
THREADS = (1, 2, 8)
SMALLEST_SHARED_SIZE = 4  # smaller numbers are mostly dimensions and settings: changed in the inputs only


class Variant(NamedTuple):
    aspect: str
    value: str
    unit: str = ""  # for a size
    changes: list[Change] | None = None  # None: the program unchanged


def variants(code: Source, operator: str, modes: list[str]) -> dict[str, Any]:
    """`operator`: the operator in question, as "aten.amax", if known. An entry without a program stands for the program
    itself."""
    found = [*operator_variants(code, operator), *dtype_variants(code), *size_variants(code)]
    entries = [
        entry(variant, Source(code.changed_together([variant.changes]).text) if variant.changes else None)
        for variant in found
    ]
    return {"variants": entries + [*thread_entries(code, modes), *mode_entries(code, modes)]}


def entry(variant: Variant, code: Source | None) -> dict[str, Any]:
    text = {"program": code.text, "options": options.read(code.tree) or {}} if code else {}
    return {"aspect": variant.aspect, "value": variant.value, "unit": variant.unit, **text}


# ---- operators


def operator_variants(code: Source, wanted: str) -> Iterator[Variant]:
    """The siblings of one operator: the one in question, otherwise the last call that has any, otherwise the last
    sign."""
    named = wanted.removeprefix("aten.").split(".")[0].removesuffix("_backward").lstrip("_")
    calls = [
        found for function in computing(code) for node in ast.walk(function) for found in sibling_calls(code, node)
    ]
    if not calls:
        return
    chosen = next(
        (c for c in calls if c[0] == named), max(calls, key=lambda c: (c[0] not in dict(SIGNS.values()), c[1]))
    )
    name, _, alternatives = chosen
    yield Variant("operators", name)
    for sibling, change in alternatives[:MOST_OPERATORS]:
        yield Variant("operators", sibling, changes=[change])


def sibling_calls(code: Source, node: ast.AST) -> Iterator[tuple[str, int, list[tuple[str, Change]]]]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        end, name = code.end(node.func), node.func.attr
        others = [s for family in SIBLINGS if name in family for s in family if s != name]
        if others:
            yield name, end, [(sibling, (end - len(name), end, sibling)) for sibling in others]
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS and not is_number(node):
        name, sign = SIGNS[type(node.op)]
        names = {other_sign: other for other, other_sign in SIGNS.values()}
        signs = operators.between(code, node.left, node.right, sign, tuple(names))
        others = [(names[new], change) for _, _, new, change in signs]
        if others:
            yield name, code.end(node), others


def is_number(node: ast.expr) -> bool:
    """Arithmetic on numbers (2**31 + 2) is not an operator on tensors."""
    return not any(isinstance(part, (ast.Name, ast.Call)) for part in ast.walk(node))


# ---- dtypes


def dtype_variants(code: Source) -> Iterator[Variant]:
    """Variants of the one dtype that forward casts to, otherwise of the inputs."""
    forward, inputs = code.method("Model", "forward"), inputs_of(code)
    casts = dtype_words(forward) if forward else []
    places, base = casts, ""
    if casts:
        base = spelt(casts[0])
        places = [node for node in casts if spelt(node) == base]
    elif inputs is not None:
        yield from input_dtypes(code, computed_with(inputs))
        return
    if base:
        yield Variant("dtypes", base)
    for other in others_of(base):
        yield Variant("dtypes", other, changes=[code.replacement(node, f"torch.{other}") for node in places])


def computed_with(inputs: Inputs) -> list[ast.expr]:
    """Inputs of which forward reads more than the device and the shape."""
    parents = {child: node for node in ast.walk(inputs.forward) for child in ast.iter_child_nodes(node)}
    reads = [n for n in parents if isinstance(n, ast.Name)]
    told = {n.id for n in reads if getattr(parents[n], "attr", "") not in ("device", "shape", "ndim", "size", "numel")}
    return [e for name, e in zip(inputs.elements, inputs.returned.elts, strict=True) if name in told]


def input_dtypes(code: Source, given: list[ast.expr]) -> Iterator[Variant]:
    known = [(element, dtype_of(element)) for element in (made(code, e) for e in given)]
    bases = [dtype for _, dtype in known if dtype]
    if not bases:
        return
    base = min(bases, key=likely_computed_with)
    yield Variant("dtypes", base)
    for other in others_of(base):
        changes = []
        for element, dtype in known:
            if dtype != base:
                continue
            words = dtype_words(element)
            changes += [code.replacement(word, f"torch.{other}") for word in words]
            if not words:
                changes.append(code.replacement(element, f"({code.segment(element)}).to(torch.{other})"))
        yield Variant("dtypes", other, changes=changes)


def likely_computed_with(dtype: str) -> int:
    """The lowest is the most likely: int64 is typical of indices, bool of masks."""
    return {"bool": 3, "int64": 2}.get(dtype, 0 if "float" in dtype else 1)


def made(code: Source, element: ast.expr) -> ast.expr:
    """The value a name among the inputs was given, if it is given only one."""
    make = code.function_named("get_inputs")
    if not isinstance(element, ast.Name) or make is None:
        return element
    given = [
        node.value
        for node in ast.walk(make)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == element.id for t in node.targets)
    ]
    return given[0] if len(given) == 1 else element


def others_of(base: str) -> list[str]:
    return [
        d
        for family in DTYPES
        if base == family[0] or (base in family and family[0] != "bool")
        for d in family
        if d != base
    ]


def dtype_words(owner: ast.AST) -> list[ast.Attribute]:
    known = {d for family in DTYPES for d in family} | set(OTHER_NAMES)
    return [
        node
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute) and node.attr in known and dotted(node.value) == "torch"
    ]


def spelt(word: ast.Attribute) -> str:
    return OTHER_NAMES.get(word.attr, word.attr)


def dtype_of(element: ast.expr) -> str:
    """An input's dtype, as far as its text shows it."""
    words = dtype_words(element)
    if words:
        return spelt(words[-1]) if len({spelt(word) for word in words}) == 1 else ""
    names = [last_name(node.func) for node in ast.walk(element) if isinstance(node, ast.Call)]
    if any(name in OTHER_NAMES or name in ("to", "type", "bool", "bfloat16") for name in names):
        return ""
    if any(name in FLOATING_CALLS for name in names):
        return "float32"
    if any(name in INTEGER_CALLS for name in names):
        return "int64"
    if "tensor" in names or "full" in names:
        numbers = [n.value for n in ast.walk(element) if isinstance(n, ast.Constant)]
        floating = any(isinstance(n, float) for n in numbers)
        plain = all(type(n) in (int, float) for n in numbers)
        return ("float32" if floating else "int64") if numbers and plain else ""
    return ""


# ---- sizes


def size_variants(code: Source) -> Iterator[Variant]:
    make = code.function_named("get_inputs")
    if make is None:
        return
    sizes: dict[int, tuple[str, list[ast.Constant]]] = {}
    for node in ast.walk(make):
        if isinstance(node, ast.Call) and last_name(node.func) in SIZED_CALLS:
            shape = literal_shape(node)
            for place, dimension in enumerate(shape):
                if isinstance(dimension, ast.Constant) and type(dimension.value) is int and dimension.value > 0:
                    unit = unit_of(place, len(shape))
                    sizes.setdefault(dimension.value, (unit, []))[1].append(dimension)
    everywhere = [n for n in ast.walk(code.tree) if isinstance(n, ast.Constant) and type(n.value) is int]
    units: set[str] = set()
    for size in sorted(sizes, reverse=True):
        unit, places = sizes[size]
        if unit in units or len(units) == MOST_SIZES:
            continue
        units.add(unit)
        if size >= SMALLEST_SHARED_SIZE:
            places = [node for node in everywhere if node.value == size]
        yield Variant("sizes", str(size), unit)
        for other in sorted({size - 1, size + 1, 2 * size, 8 * size, 64 * size}):
            if 0 < other <= LARGEST_SIZE:
                yield Variant("sizes", str(other), unit, [code.replacement(node, str(other)) for node in places])


def literal_shape(call: ast.Call) -> list[ast.expr]:
    """The expressions of a tensor's shape in the call that makes it."""
    arguments = call.args
    if last_name(call.func) == "randint":
        arguments = [a for a in arguments if isinstance(a, (ast.Tuple, ast.List))]
    if last_name(call.func) == "arange":
        return list(arguments) if len(arguments) == 1 else []
    if arguments and isinstance(arguments[0], (ast.Tuple, ast.List)):
        return list(arguments[0].elts)
    return list(arguments) if last_name(call.func) not in ("full", "randint") else []


def unit_of(place: int, rank: int) -> str:
    if rank == 1:
        return "elements"
    return ("rows", "columns")[place] if rank == 2 else f"in dimension {place}"


# ---- threads and modes


def thread_entries(code: Source, modes: list[str]) -> Iterator[dict[str, Any]]:
    """Used only if Inductor is at fault: no other stage knows about threads. A program that shows the finding with one
    thread is tried with the most; one that shows it with several is also tried with fewer."""
    base = (options.read(code.tree) or {}).get("threads", 1)
    if not modes:
        return
    yield entry(Variant("threads", str(base)), None)
    for threads in THREADS if base != 1 else THREADS[-1:]:
        if threads != base:
            yield entry(Variant("threads", str(threads)), Source(options.override(code, {"threads": threads})))


def mode_entries(code: Source, modes: list[str]) -> Iterator[dict[str, Any]]:
    """The same program under other modes; all other OPTIONS stay."""
    present = options.read(code.tree) or {}
    base = present.get("mode", "inductor")
    if not modes:
        return
    yield entry(Variant("modes", base), None)
    for mode in modes:
        if mode != base:
            yield entry(Variant("modes", mode), Source(options.override(code, {"mode": mode})))
