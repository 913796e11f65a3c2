"""All reductions of a program, and the program after some of them. An identifier depends only on the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import cuts
import operands
import options
import simpler
import writes
from fixed import is_read, without_fixed_parameters
from inputs import without_unused_parameters
from recorded import Recorded
from reduction import Reduction, applied
from source import FUNCTIONS, Change, Source, bodies, docstring_of, is_base_call
from unused import without_unused

MOST = 1500
ROUNDS = 10


def listed(code: Source, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Lists them by family, in the order in which a search should try them; with the present size of the program."""
    entries = [
        {"id": r.identifier, "family": r.family, "style": r.style, "description": r.description}
        for r in possible(code, rows)
    ]
    return {"reductions": entries, **size(code)}


def possible(code: Source, rows: list[dict[str, Any]]) -> list[Reduction]:
    found: list[Reduction] = [*cuts.reductions(code, Recorded(rows))]
    for make in (
        simpler.unwrapped,
        simpler.fewer_statements,
        simpler.fewer_decorators,
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


def reduced(code: Source, rows: list[dict[str, Any]], wanted: list[str], unread_locals: bool) -> dict[str, Any]:
    """The program after the reductions, without what is then unused; if `unread_locals`, locals that are never read
    stay. An unknown identifier is an error."""
    offered = {reduction.identifier: reduction for reduction in possible(code, rows)}
    unknown = [identifier for identifier in wanted if identifier not in offered]
    if unknown:
        raise ValueError(f"no reduction {unknown[0]!r} of this program")
    code = tidy(applied(code, [offered[identifier] for identifier in wanted]), unread_locals)
    return {"program": code.text, "options": options.read(code.tree) or {}, **size(code)}


def tidy(code: Source, unread_locals: bool) -> Source:
    for _ in range(ROUNDS):
        before = code.text
        code = without_unused_parameters(without_unused(code, unread_locals))
        code = without_idle_lines(without_fixed_parameters(code))
        if code.text == before:
            break
    return code


def without_idle_lines(code: Source) -> Source:
    """Constructors that only call their base's, empty argument lists of constructors, docstrings, `pass` beside
    statements or before an `else`, and repeated imports say nothing about a fault."""
    changes = [*turned(code)]
    for owner in code.tree.body:
        for function in owner.body if isinstance(owner, ast.ClassDef) else []:
            plain = isinstance(function, ast.FunctionDef) and function.name == "__init__"
            if plain and says_nothing(function):
                changes += code.removals([function], owner.body)
    initial = code.function_named("get_init_inputs")
    if initial is not None and returns_nothing(initial) and not is_read(code, initial):
        changes += code.removals([initial], code.tree.body)
    for owner, body in bodies(code.tree):
        idle = [statement for statement in body if isinstance(statement, ast.Pass)]
        text = docstring_of(owner) if isinstance(owner, (ast.Module, ast.ClassDef, *FUNCTIONS)) else None
        idle += [text] if text is not None else []
        changes += code.removals(idle if len(idle) < len(body) else idle[1:], body)
    imports = [node for node in code.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    first = {ast.dump(node): node for node in reversed(imports)}
    changes += code.removals([n for n in imports if first[ast.dump(n)] is not n], code.tree.body)
    return code.changed(changes) if changes else code


def turned(code: Source) -> Iterator[Change]:
    """`if a: pass`, `else: …` is `if not a: …`."""
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.If) or not node.orelse or not all(isinstance(s, ast.Pass) for s in node.body):
            continue
        begin = code.start(node.orelse[0]) - node.orelse[0].col_offset
        own_lines = not code.data[begin : code.start(node.orelse[0])].strip()
        if own_lines and code.segment(node).startswith("if") and not code.segment(node.orelse[0]).startswith("elif"):
            body = code.data[begin : code.end(node.orelse[-1])].decode()
            yield code.replacement(node, f"if not ({code.segment(node.test)}):\n{body}")


def says_nothing(constructor: ast.FunctionDef) -> bool:
    """Whether it takes no arguments and passes none on."""
    parameters = [node for node in ast.walk(constructor.args) if isinstance(node, ast.arg)]
    calls = [statement.value for statement in constructor.body if is_base_call(statement)]
    handed = [ast.unparse(given) for call in calls for given in (*call.args, *call.keywords)]
    return len(parameters) == 1 and set(handed) <= {"self"} and len(calls) == len(constructor.body)


def returns_nothing(function: ast.FunctionDef) -> bool:
    last = function.body[-1]
    empty = isinstance(last, ast.Return) and isinstance(last.value, (ast.List, ast.Tuple)) and not last.value.elts
    return empty and len(function.body) == 1


def plain(code: Source, unread_locals: bool) -> dict[str, Any]:
    """Without comments, in one layout; statements that shared a line can only be removed after that."""
    text = ast.unparse(tidy(Source(ast.unparse(code.tree)), unread_locals).tree)
    text = re.sub(r"\n+((?:@.*\n)*(?:class |def |OPTIONS))", r"\n\n\n\1", text)
    code = Source(text + "\n")
    return {"program": code.text, "options": options.read(code.tree) or {}, **size(code)}


def size(code: Source) -> dict[str, int]:
    """Statements in functions that compute (constructors and inputs do not), and lines that are not empty."""
    statements = sum(
        isinstance(node, ast.stmt) for function in operands.computing(code) for node in ast.walk(function)
    ) - len(list(operands.computing(code)))
    return {"statements": statements, "lines": sum(bool(line.strip()) for line in code.text.splitlines())}
