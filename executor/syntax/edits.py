"""Outline of a program and its possible edits: small changes that should keep it valid, so that one valid program
breeds many. Conservative by design: an edit that cannot be told to be safe is not offered."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import layouts
import operators
import settings
from shapes import Values, literal_inputs
from source import FUNCTIONS, Change, Source, dotted

EDIT_CAP = 400


class Edit(NamedTuple):
    kind: str
    key: str  # what it does, for the id: unique at its place
    description: str
    changes: list[Change]

    def identifier(self, code: Source) -> str:
        return f"{min(c[0] for c in self.changes)}:{self.kind}:{self.key}"


def outline(code: Source) -> dict[str, Any]:
    forward = code.method("Model", "forward")
    statements = sum(isinstance(n, ast.stmt) for n in ast.walk(forward)) - 1 if forward else 0
    edits = [{"id": e.identifier(code), "kind": e.kind, "description": e.description} for e in possible(code)]
    return {"operators": called(code), "statements": statements, "edits": edits}


def called(code: Source) -> list[str]:
    """What forward and its helpers call: `torch.sin`, `F.pad`, `.view`; modules as `nn.Linear`."""
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


def possible(code: Source) -> list[Edit]:
    """Every edit offered, in the order of the text; ids are a function of the text alone."""
    edits = list(found(code))
    edits.sort(key=lambda edit: (min(c[0] for c in edit.changes), edit.kind, edit.key))
    return edits[:EDIT_CAP]


def found(code: Source) -> Iterator[Edit]:
    forward = code.method("Model", "forward")
    if forward is None:
        return
    inputs = literal_inputs(code)
    values = Values(forward, {name: "float" for name in inputs})
    hidden = {id(n) for text in ast.walk(code.tree) if isinstance(text, ast.JoinedStr) for n in ast.walk(text)}
    nodes = [n for n in ast.walk(forward) if id(n) not in hidden]
    for make in (operators.edits, layouts.edits, settings.edits):
        for kind, key, description, changes in make(code, nodes, values, inputs):
            yield Edit(kind, key, description, changes)


def apply(code: Source, wanted: list[str]) -> str:
    """The program after the edits; where two touch the same text the first wins. An unknown id is an error."""
    offered = {edit.identifier(code): edit for edit in possible(code)}
    unknown = [identifier for identifier in wanted if identifier not in offered]
    if unknown:
        raise ValueError(f"no edit {unknown[0]!r} in this program")
    return code.changed_together([offered[identifier].changes for identifier in wanted]).text
