"""Rules for whole numbers: every operator that torch itself calls pointwise, on tensors of narrow or mixed integer
types. C++ and Triton promote the types they compute with, a program requires others, and torch's own samples
(operators.json) contain hardly any of this."""

import contextlib
import functools
from typing import Any

import forms
import operators
import schemas
import torch

SPANS = {  # range to draw from; the widest make arithmetic wrap around, which is defined only for narrow types
    "bool": ((0, 1),),
    "uint8": ((0, 9), (0, 255)),
    "int8": ((0, 9), (-9, 9), (-128, 127)),
    "int16": ((0, 9), (-99, 99), (-32768, 32767)),
    "int32": ((0, 9), (-99, 99)),
    "int64": ((0, 9), (-99, 99)),
}
DTYPES = ("bool", "uint8", "uint8", "int8", "int8", "int16", "int16", "int16", "int32", "int64")
MAIN = 0.7  # how often an input has the program's main type: mixed ones are promoted, which hides much
KEEPING = 0.75  # how often the operator is one that returns whole numbers
KEPT = 0.85  # how often a tensor is an existing one
LATEST = 0.5  # how often that is the last one: chains are what a kernel fuses
CASTS = 0.08
IN_PLACE = 0.1


@functools.cache
def rules() -> dict[str, list[Any]]:
    """Schemas by the name Python calls them."""
    grouped: dict[str, list[Any]] = {}
    for name, schema in schemas.rules():
        packet = getattr(torch.ops.aten, schema.name.removeprefix("aten::"))
        operator = getattr(packet, schema.overload_name or "default")
        if torch.Tag.pointwise in operator.tags:
            grouped.setdefault(name, []).append(schema)
    return grouped


@functools.cache
def names() -> list[str]:
    return sorted(rules())


@functools.cache
def keeping() -> list[str]:
    """Those that return whole numbers for whole numbers."""
    return [name for name in names() if any(map(functools.partial(_keeps, name), ("", ", a", ", 1", ", a, a")))]


def _keeps(name: str, more: str) -> bool:
    with contextlib.suppress(Exception):  # it takes other arguments
        space = {"torch": torch, "F": torch.nn.functional, "a": torch.ones(2, dtype=torch.int16)}
        return eval(f"a{name}({more[2:]})" if name.startswith(".") else f"{name}(a{more})", space).dtype == torch.int16
    return False


def first_input(dice: Any, shape: list[int], main: str) -> str:
    dtype = main if main and dice.random() < MAIN else dice.choice(DTYPES)
    return operators.maker(shape, dtype, *dice.choice(SPANS[dtype]))


def propose(draft: Any) -> forms.Proposal | None:
    dice = draft.dice
    if dice.random() < CASTS:
        return cast(draft)
    name = dice.choice(keeping() if dice.random() < KEEPING else names())
    proposal = schemas.call(draft, name, dice.choice(rules()[name]), tensor)
    if proposal is None or dice.random() > IN_PLACE:
        return proposal
    return in_place(draft, name, proposal)


def cast(draft: Any) -> forms.Proposal | None:
    reads: list[str] = []
    if tensor(draft, None, reads) is None:
        return None
    target = draft.fresh()
    return forms.Proposal([f"{target} = {reads[0]}.to(torch.{draft.dice.choice(DTYPES)})"], [target], reads)


def in_place(draft: Any, name: str, proposal: forms.Proposal) -> forms.Proposal | None:
    """The same call in place on a copy, whose dtype the result must fit."""
    method = name.rpartition(".")[2] + "_"
    first, target = proposal.reads[0], proposal.makes[0]
    _, _, given = proposal.lines[0].partition("(")
    if not hasattr(torch.Tensor, method) or name.startswith(".") or not given.startswith(first):
        return None
    rest = given.removeprefix(first).removeprefix(", ")
    return forms.Proposal([f"{target} = {first}.clone()", f"{target}.{method}({rest}"], [target], proposal.reads)


def tensor(draft: Any, argument: Any, reads: list[str]) -> str | None:
    """A value of whole numbers with the shape of the first one."""
    dice = draft.dice
    shape = draft.values[reads[0]].shape if reads else None
    there = [name for name, value in draft.values.items() if is_whole(value) and shape in (None, value.shape)]
    if there and dice.random() < KEPT:
        name = there[-1] if dice.random() < LATEST else dice.choice(there)
    else:
        wanted = _shape(draft, reads)
        name = draft.add_input(draft.arranged(first_input(dice, wanted, draft.whole), wanted))
    if name is not None:
        reads.append(name)
    return name


def _shape(draft: Any, reads: list[str]) -> list[int]:
    return list(draft.values[reads[0] if reads else draft.dice.choice(list(draft.values))].shape)


def is_whole(value: torch.Tensor) -> bool:
    return not value.is_floating_point() and not value.is_complex()
