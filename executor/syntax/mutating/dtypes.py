"""Edits of dtypes: of an input, of a dtype that the program names, of an operand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inputs import inputs_of
from layouts import operands
from operators import Offer
from shapes import Values
from source import Source
from variants import DTYPES, dtype_words, spelt

FLOATS = ("float32", "float64", "float16", "bfloat16")
CASTS = ("float64", "float16", "bfloat16")
OTHERS = ("int64", "int32", "uint8", "bool", "complex64")


def edits(code: Source, nodes: list[ast.AST], values: Values) -> Iterator[Offer]:
    yield from of_words(code)
    yield from of_inputs(code)
    for node in operands(nodes):
        if values.kind(node) == "float":
            for dtype in CASTS:
                start, end = code.start(node), code.end(node)
                change = [(start, start, "("), (end, end, f").to(torch.{dtype})")]
                yield "dtype", f"an operand in {dtype} at line {node.lineno}", change


def of_words(code: Source) -> Iterator[Offer]:
    """`torch.float32` and the like, anywhere."""
    for word in dtype_words(code.tree):
        for family in DTYPES:
            if spelt(word) in family:
                for other in family:
                    if other != spelt(word):
                        change = code.replacement(word, f"torch.{other}")
                        yield "dtype", f"{word.attr} → {other} at line {word.lineno}", [change]


def of_inputs(code: Source) -> Iterator[Offer]:
    inputs = inputs_of(code)
    elements = inputs.returned.elts if inputs else []
    for dtype in (*FLOATS, *OTHERS):
        casts = []
        for number, element in enumerate(elements):
            start, end = code.start(element), code.end(element)
            casts += [(start, start, "("), (end, end, f").to(torch.{dtype})")]
            yield "dtype", f"input {number} in {dtype}", casts[-2:]
        if len(elements) > 1 and dtype in FLOATS:
            yield "dtype", f"inputs in {dtype}", casts
