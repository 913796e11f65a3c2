"""Outline of a program and its possible edits: small changes that turn one valid program into many."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import dtypes
import extremes
import layouts
import operators
import settings
import sizes
import views
from shapes import Values, literal_inputs
from source import FUNCTIONS, Change, Source, dotted


class Edit(NamedTuple):
    kind: str  # "operator", "dtype", "shape", "layout", "view", "constant", "option"
    description: str
    changes: list[Change]


def outline(code: Source) -> dict[str, Any]:
    forward = code.method("Model", "forward")
    statements = sum(isinstance(n, ast.stmt) for n in ast.walk(forward)) - 1 if forward else 0
    return {"operators": called(code), "statements": statements}


def called(code: Source) -> list[str]:
    """Everything that forward and its helpers call: `torch.sin`, `F.pad`, `.view`; modules as `nn.Linear`."""
    names: set[str] = set()
    for owner in code.tree.body:
        if not isinstance(owner, (ast.ClassDef, *FUNCTIONS)) or owner.name in ("get_inputs", "get_init_inputs"):
            continue
        for node in ast.walk(owner):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            path = dotted(node.func)
            root = path.split(".")[0]
            if root in ("torch", "F", "nn"):
                names.add(path.replace("torch.nn.functional.", "F.").replace("torch.nn.", "nn."))
            elif root not in ("self", "math") and not (path and path[0].isupper()) and "__" not in node.func.attr:
                names.add("." + node.func.attr)
    return sorted(names)


def by_kind(code: Source) -> dict[str, list[Edit]]:
    """Every edit on offer, in an order that depends only on the text."""
    kinds: dict[str, list[Edit]] = {}
    for edit in found(code):
        kinds.setdefault(edit.kind, []).append(edit)
    return kinds


def found(code: Source) -> Iterator[Edit]:
    forward = code.method("Model", "forward")
    if forward is None:
        return
    inputs = literal_inputs(code)
    values = Values(forward, {name: "float" for name in inputs})
    hidden = {id(n) for text in ast.walk(code.tree) if isinstance(text, ast.JoinedStr) for n in ast.walk(text)}
    nodes = [n for n in ast.walk(forward) if id(n) not in hidden]
    for offers in (
        operators.edits(code, nodes, values),
        layouts.edits(code, nodes, values, inputs),
        settings.edits(code, nodes),
        dtypes.edits(code, nodes, values),
        sizes.edits(code),
        extremes.edits(code),
        views.edits(code, nodes, values, list(layouts.operands(nodes))),
    ):
        yield from (Edit(*offer) for offer in offers)
