"""Edits of shapes: a size wherever it occurs, an input's rank, the whole numbers passed to forward and layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inputs import inputs_of
from operators import Offer
from source import Source, last_name
from variants import SIZED_CALLS, SMALLEST_SHARED_SIZE, literal_shape

# Around the capacities of vector registers, tiles and warps.
TELLING_SIZES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129)
RANKS = {
    "one row of input {}": ("(", ")[:1]"),
    "input {} without its first dimension": ("(", ")[0]"),
    "input {} with one more dimension": ("(", ").unsqueeze(0)"),
    "input {} twice over": ("(lambda t: torch.cat([t, t]))(", ")"),
    "no row of input {}": ("(", ")[:0]"),
    "input {} as one element broadcast": ("(lambda t: t.flatten()[:1].expand(t.shape))(", ")"),
}


def edits(code: Source) -> Iterator[Offer]:
    yield from of_sizes(code)
    inputs = inputs_of(code)
    for number, element in enumerate(inputs.returned.elts if inputs else []):
        start, end = code.start(element), code.end(element)
        for words, (before, after) in RANKS.items():
            yield "shape", words.format(number), [(start, start, before), (end, end, after)]
    yield from of_numbers(code)


def of_sizes(code: Source) -> Iterator[Offer]:
    make = code.function_named("get_inputs")
    places: dict[int, list[ast.Constant]] = {}
    for node in ast.walk(make) if make else ():
        if isinstance(node, ast.Call) and last_name(node.func) in SIZED_CALLS:
            for dimension in literal_shape(node):
                if isinstance(dimension, ast.Constant) and type(dimension.value) is int and dimension.value > 0:
                    places.setdefault(dimension.value, []).append(dimension)
    everywhere = [n for n in ast.walk(code.tree) if isinstance(n, ast.Constant) and type(n.value) is int]
    for size, own in places.items():
        groups = [own[:1], own]
        if size >= SMALLEST_SHARED_SIZE:
            groups.append([node for node in everywhere if node.value == size])
        for other in dict.fromkeys((size - 1, size + 1, 2 * size, 3 * size, *TELLING_SIZES)):
            for group in groups:
                if other not in (0, size):
                    where = f"{len(group)} places" if len(group) > 1 else f"line {group[0].lineno}"
                    changes = [code.replacement(node, str(other)) for node in group]
                    yield "shape", f"size {size} → {other} in {where}", changes


def of_numbers(code: Source) -> Iterator[Offer]:
    """Dimensions, strides, paddings, counts: whole numbers among the arguments and indices in Model."""
    model = code.class_named("Model")
    for owner in ast.walk(model) if model else ():
        given: list[ast.expr] = []
        if isinstance(owner, ast.Call):
            given = [*owner.args, *(keyword.value for keyword in owner.keywords)]
        elif isinstance(owner, ast.Slice):
            given = [part for part in (owner.lower, owner.upper, owner.step) if part]
        for node in given:
            if isinstance(node, ast.Constant) and type(node.value) is int:
                for other in dict.fromkeys((node.value - 1, node.value + 1, -1, 0, 1, 2)):
                    if other != node.value:
                        change = code.replacement(node, str(other))
                        yield "shape", f"{node.value} → {other} at line {node.lineno}", [change]
