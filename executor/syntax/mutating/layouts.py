"""Edits that keep values and change their layout in memory: copies, round trips, strides."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inputs import inputs_of
from operators import Offer
from shapes import Values
from source import Source

# Wrapped around an expression; any rank, any floating dtype.
WRAPS = {
    "clone": ("(", ").clone()"),
    "contiguous": ("(", ").contiguous()"),
    "round trip of unsqueeze": ("(", ").unsqueeze(0).squeeze(0)"),
    "plus zero": ("(", " + 0)"),
    "times one": ("(", " * 1.0)"),
    "stack and select": ("torch.stack([", "])[0]"),
    "reshape to its own shape": ("(lambda t: t.reshape(t.shape))(", ")"),
}
# These need a known rank of at least two.
RANKED_WRAPS = {
    "double transpose": ("(", ").transpose(-1, -2).transpose(-1, -2)"),
    "double flip": ("(", ").flip(-1).flip(-1)"),
    "transposed copy": ("(", ").transpose(-1, -2).contiguous().transpose(-1, -2)"),
    "cat of chunks": ("torch.cat((", ").chunk(2, 0), 0)"),
    "roll there and back": ("(", ").roll(1, 0).roll(-1, 0)"),
}
# Layouts of an input in memory, with its values kept; one that does not fit its rank does not run.
INPUT_LAYOUTS = {
    "input {} lies transposed": ("(", ").transpose(-1, -2).contiguous().transpose(-1, -2)"),
    "input {} lies channels-last": ("(", ").contiguous(memory_format=torch.channels_last)"),
    "input {} is every other column of a wider one": ("(", ").repeat_interleave(2, -1)[..., ::2]"),
    "input {} starts at an odd place": (
        "(lambda t: torch.cat([t.flatten()[:1], t.flatten()])[1:].view(t.shape))(",
        ")",
    ),
    "input {} is one row expanded": ("(lambda t: t[:1].expand(t.shape))(", ")"),
    "input {} is a slice of a longer one": ("(lambda t: torch.cat([t, t])[: t.shape[0]])(", ")"),
    "input {} is reversed in memory": ("(", ").flip(-1).contiguous().flip(-1)"),
}


def edits(code: Source, nodes: list[ast.AST], values: Values, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    yield from wraps(code, nodes, values, inputs)
    yield from input_layouts(code)


def wraps(code: Source, nodes: list[ast.AST], values: Values, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    written = in_place_targets(nodes)
    for node in operands(nodes):
        if values.kind(node) != "float":
            continue
        if isinstance(node, ast.Name) and node.id in written:
            continue
        choices = dict(WRAPS)
        if (
            isinstance(node, ast.Name)
            and node.id in inputs
            and node.id not in stored
            and len(inputs[node.id].args) >= 2
        ):
            choices |= RANKED_WRAPS
        for name, (before, after) in choices.items():
            start, end = code.start(node), code.end(node)
            yield "layout", f"{name} at line {node.lineno}", [(start, start, before), (end, end, after)]


def operands(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """First arguments of calls and sides of arithmetic: places where a tensor is read and used for nothing else."""
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.func, ast.Attribute)
            and not node.func.attr.endswith("_")
        ):
            if isinstance(node.args[0], (ast.Name, ast.Call)):
                yield node.args[0]
        elif isinstance(node, ast.BinOp):
            yield from (side for side in (node.left, node.right) if isinstance(side, (ast.Name, ast.Call)))


def in_place_targets(nodes: list[ast.AST]) -> set[str]:
    """Names that are written into: replacing them with a copy would change the program's meaning."""
    names: set[str] = set()
    for node in nodes:
        target: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            target = node.func.value
        elif isinstance(node, ast.AugAssign):
            target = node.target
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = node.value
        if target is not None:
            names |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return names


def input_layouts(code: Source) -> Iterator[Offer]:
    inputs = inputs_of(code)
    for number, element in enumerate(inputs.returned.elts if inputs else []):
        start, end = code.start(element), code.end(element)
        for words, (before, after) in INPUT_LAYOUTS.items():
            yield "layout", words.format(number), [(start, start, before), (end, end, after)]
