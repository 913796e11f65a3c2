"""Edits that write in place and read through views: what functionalisation has to get right."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from operators import Offer
from shapes import Values
from source import Source, words

# After a value is made, or at the start for an input; any shape.
WRITES = {
    "adds in place": "{0}.add_(1)",
    "doubles in place": "{0}.mul_(2)",
    "writes through a view": "{0}[..., :1] = 0",
    "writes through a transposed view": "{0}.transpose(0, -1)[:1].mul_(2)",
    "writes through a flat view": "{0}.view(-1)[::2].add_(1)",
    "writes through an expanded view's source": "{0}.unsqueeze(0).expand(2, *{0}.shape)[0].add_(1)",
    "copies its flipped self over itself": "{0}.copy_({0}.flip(0))",
    "transposes in place": "{0}.transpose_(0, -1)",
    "is detached and written": "{0}.detach().clamp_(-1, 1)",
}
# Wrapped around an operand.
LOOKS = {
    "a slice of everything": ("(", ")[...]"),
    "every row, backwards and back": ("(", ").flip(0).flip(0)"),
    "a view of its own shape": ("(lambda t: t.view(t.shape))(", ")"),
    "as_strided by its own strides": ("(lambda t: t.as_strided(t.size(), t.stride(), t.storage_offset()))(", ")"),
    "unfolded and selected": ("(lambda t: t.unfold(0, 1, 1)[..., 0])(", ")"),
    "its alias": ("(", ").view_as(({0}))"),
    "expanded and reduced": ("(lambda t: t.expand(2, *t.shape).amax(0))(", ")"),
    "transposed to and fro": ("(lambda t: t.transpose(0, -1).transpose(0, -1))(", ")"),
}
IN_PLACE = words("abs add sub mul div relu sigmoid tanh exp sin cos neg clamp floor ceil round square sqrt")


def edits(code: Source, nodes: list[ast.AST], values: Values, reads: list[ast.expr]) -> Iterator[Offer]:
    yield from writes(code, nodes, values)
    for node in reads:
        if values.kind(node) and isinstance(node, ast.Name):
            for what, (before, after) in LOOKS.items():
                start, end = code.start(node), code.end(node)
                changes = [(start, start, before), (end, end, after.format(node.id))]
                yield "view", f"{what} at line {node.lineno}", changes
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in IN_PLACE:
            target = node.func.value
            if isinstance(target, (ast.Name, ast.Call)) and values.kind(target):
                end = code.end(node.func)
                yield "view", f"{node.func.attr} → {node.func.attr}_ at line {node.lineno}", [(end, end, "_")]


def writes(code: Source, nodes: list[ast.AST], values: Values) -> Iterator[Offer]:
    forward = code.method("Model", "forward")
    if forward is None:
        return
    first = forward.body[0]
    for parameter in forward.args.args[1:]:
        for what, text in WRITES.items():
            at = code.start(first)
            changes = [(at, at, text.format(parameter.arg) + "\n" + " " * first.col_offset)]
            yield "view", f"input {parameter.arg} {what}", changes
    for node in nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if values.kinds.get(name):
            for what, text in WRITES.items():
                changes = [(code.end(node), code.end(node), "\n" + " " * node.col_offset + text.format(name))]
                yield "view", f"{name} {what} after line {node.lineno}", changes
