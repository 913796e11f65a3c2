"""Edits of numbers: edge constants among arguments, and inputs that hold extreme values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inputs import inputs_of
from operators import FLOATS, Offer, wrapped
from source import Source

EDGES = (*FLOATS, "-0.0", "1e-30", "1e30", 'float("inf")')
INPUTS = {
    "input {} is zero": ("(", ") * 0"),
    "input {} is large": ("(", ") * 1000"),
    "input {} is negative": ("-(", ").abs()"),
    "input {} is tiny": ("(", ") * 1e-30"),
    "input {} has equal values": ("(", ").round()"),
    "input {} is not negative": ("(", ").abs()"),
    "input {} is sorted": ("(", ").sort().values"),
}


def edits(code: Source) -> Iterator[Offer]:
    """Whole numbers are left to sizes.py: they are as often as not dimensions and sizes."""
    model = code.class_named("Model")
    for owner in ast.walk(model) if model else ():
        given = [*owner.args, *(keyword.value for keyword in owner.keywords)] if isinstance(owner, ast.Call) else []
        for node in given:
            if isinstance(node, ast.Constant) and type(node.value) is float:
                for new in EDGES:
                    if code.segment(node) != new:
                        change = code.replacement(node, wrapped(new))
                        yield "constant", f"{code.segment(node)} → {new} at line {node.lineno}", [change]
    inputs = inputs_of(code)
    for number, element in enumerate(inputs.returned.elts if inputs else []):
        start, end = code.start(element), code.end(element)
        for words, (before, after) in INPUTS.items():
            yield "constant", words.format(number), [(start, start, before), (end, end, after)]
