"""All reductions of a program, and the program after some of them. An identifier is a function of the text alone."""

from __future__ import annotations

import ast
import re
from typing import Any

import cuts
import operands
import options
import simpler
import writes
from inputs import without_unused_parameters
from recorded import Recorded
from reduction import Reduction, applied
from source import FUNCTIONS, Source, docstring_of
from unused import without_unused

MOST = 1500
ROUNDS = 10


def listed(code: Source, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """By family, in the order in which a search should try them; with the size of the program as it is."""
    entries = [
        {"id": r.identifier, "family": r.family, "style": r.style, "description": r.description}
        for r in possible(code, rows)
    ]
    return {"reductions": entries, **size(code)}


def possible(code: Source, rows: list[dict[str, Any]]) -> list[Reduction]:
    found: list[Reduction] = [*cuts.reductions(code, Recorded(rows))]
    for make in (
        simpler.unwrapped,
        simpler.inlined,
        simpler.fewer_elements,
        operands.reductions,
        simpler.fewer_options,
    ):
        found += make(code)
    for make in (
        simpler.fewer_arguments,
        simpler.smaller_sizes,
        simpler.plainer_constants,
        writes.plainer_writes,
        simpler.plain_names,
    ):
        found += make(code)
    return found[:MOST]


def reduced(code: Source, rows: list[dict[str, Any]], wanted: list[str]) -> dict[str, Any]:
    """The program after the reductions and without what is then unused. An unknown identifier is an error."""
    offered = {reduction.identifier: reduction for reduction in possible(code, rows)}
    unknown = [identifier for identifier in wanted if identifier not in offered]
    if unknown:
        raise ValueError(f"no reduction {unknown[0]!r} of this program")
    code = tidy(applied(code, [offered[identifier] for identifier in wanted]))
    return {"program": code.text, "options": options.read(code.tree) or {}, **size(code)}


def tidy(code: Source) -> Source:
    for _ in range(ROUNDS):
        before = code.text
        code = without_idle_lines(without_unused_parameters(without_unused(code)))
        if code.text == before:
            break
    return code


def without_idle_lines(code: Source) -> Source:
    """Constructors that only call their base's, docstrings and repeated imports say nothing about a fault."""
    changes = []
    for owner in code.tree.body:
        for function in owner.body if isinstance(owner, ast.ClassDef) else []:
            plain = isinstance(function, ast.FunctionDef) and function.name == "__init__"
            if plain and len(function.args.args) == 1 and all(is_base_call(s) for s in function.body):
                changes += code.removals([function], owner.body)
    for node in ast.walk(code.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and len(node.body) > 1:
            text = docstring_of(node)
            changes += code.removals([text], node.body) if text is not None else []
    imports = [node for node in code.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    first = {ast.dump(node): node for node in reversed(imports)}
    changes += code.removals([n for n in imports if first[ast.dump(n)] is not n], code.tree.body)
    return code.changed(changes) if changes else code


def is_base_call(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "__init__"


def plain(code: Source) -> dict[str, Any]:
    """Without comments, in one layout."""
    text = ast.unparse(tidy(code).tree)
    for keyword in ("class ", "def ", "OPTIONS"):
        text = re.sub(rf"\n+(?={keyword})", "\n\n\n", text)
    code = Source(text + "\n")
    return {"program": code.text, "options": options.read(code.tree) or {}, **size(code)}


def size(code: Source) -> dict[str, int]:
    """Statements of what computes (constructors and inputs do not), and lines that are not empty."""
    statements = sum(
        isinstance(node, ast.stmt) for function in operands.computing(code) for node in ast.walk(function)
    ) - len(list(operands.computing(code)))
    return {"statements": statements, "lines": sum(bool(line.strip()) for line in code.text.splitlines())}
