"""What documentation and samples contain besides functions: docstrings added by a call, lists of operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from areas import DOCUMENTATION, SAMPLES
from source import dotted, last_name

ADDS_DOCSTRING = ("add_docstr", "add_docstr_all")


def entries(tree: ast.Module, area: str) -> Iterator[tuple[str, ast.AST]]:
    """Their names ("torch.abs" or "OpInfo addmm") and nodes."""
    for statement in tree.body if area in (DOCUMENTATION, SAMPLES) else ():
        value = getattr(statement, "value", None)
        if area == DOCUMENTATION and (subject := documented(value)):
            yield subject, statement
        for listed in value.elts if area == SAMPLES and isinstance(value, ast.List) else ():
            if isinstance(listed, ast.Call) and (operator := described(listed)):
                yield f"{last_name(listed.func)} {operator}", listed


def documented(call: ast.AST | None) -> str:
    """The object to which a docstring is added; empty: none."""
    if not isinstance(call, ast.Call) or dotted(call.func).lstrip("_") not in ADDS_DOCSTRING or len(call.args) < 2:
        return ""
    subject = call.args[0]
    return str(subject.value) if isinstance(subject, ast.Constant) else dotted(subject)


def described(call: ast.Call) -> str:
    """The operator that an OpInfo, or one of its subclasses, is about; empty: it is not an OpInfo, or one that only
    states that a Python reference exists."""
    kind = last_name(call.func)
    if not kind.endswith("Info") or kind.endswith("PythonRefInfo") or not call.args:
        return ""
    return str(call.args[0].value) if isinstance(call.args[0], ast.Constant) else ""
