"""Rules from operators.json (record_operators.py): a call that has run before, on tensors like those it had then."""

import functools
import json
import pathlib
import re
from typing import Any

from forms import Proposal

EXACT = 0.45  # how often a call's first tensor also has the recorded shape


@functools.cache
def table() -> dict[str, list[dict[str, Any]]]:
    return json.loads(pathlib.Path(__file__).with_name("operators.json").read_text(encoding="ascii"))


@functools.cache
def names() -> list[str]:
    return sorted(table())


def propose(draft: Any) -> Proposal | None:
    """Chooses the operator first, so that those with many samples are not chosen more often."""
    dice = draft.dice
    call = dice.choice(table()[dice.choice(names())])
    given = []
    for number, (shape, dtype, (low, high)) in enumerate(call["tensors"]):
        name = draft.pick(dtype) if number == 0 and dice.random() > EXACT else None
        name = name or draft.need(shape, dtype, low, high)
        if name is None:
            return None
        given.append(name)
    text = call["text"].format(*given)
    target = draft.fresh()
    if is_in_place(text):  # on a copy: its results are values like others
        return Proposal([f"{target} = {given[0]}.clone()", text.replace(given[0], target, 1)], [target], given)
    return Proposal([f"{target} = {text}"], [target], given)


def is_in_place(text: str) -> bool:
    return re.match(r"\w+\.[a-z0-9_]+_\(", text) is not None


def maker(shape: list[int], dtype: str, low: float, high: float) -> str:
    """The text that makes an input."""
    sizes = ", ".join(map(str, shape)) if shape else "()"
    if dtype == "bool":
        return f"torch.rand({sizes}) > 0.5"
    if dtype.startswith(("float", "bfloat", "complex")):
        made = f"torch.{'randn' if low < 0 or dtype.startswith('complex') else 'rand'}({sizes})"
        if dtype == "complex64":
            return f"torch.complex({made}, {made})"
        return made if dtype == "float32" else f"{made}.to(torch.{dtype})"
    shown = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    kind = "" if dtype == "int64" else f", dtype=torch.{dtype}"
    return f"torch.randint({int(low)}, {int(high) + 1}, {shown}{kind})"
