"""Units of a file of torch: functions, methods and registrations by call, with what a reader must know about each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import registrations
from areas import area_of
from entries import entries
from essence import essence
from imports import Imports
from source import FUNCTIONS, Source, docstring_of, dotted

FEW_STATEMENTS = 1
FEW_LINES = 3


def units(folder: str, file: str, text: str) -> list[dict[str, Any]]:
    """In file order."""
    code = Source(text)
    functions = dict(defined(code.tree))
    top = {name for name in functions if "." not in name}
    by_call = registrations.by_call(code.tree, top)
    places = Imports(folder, file, code.tree)
    found = []
    area = area_of(file)
    for name, node in (*functions.items(), *registered_by_statement(code.tree), *entries(code.tree, area)):
        registers = registering(node)
        first, last = lines_of(node)
        found.append(
            {
                "name": name,
                "file": file,
                "area": area,
                "first": first,
                "last": last,
                "code": essence(code, node),
                "registers": [registrations.told(each) for each in registers] + by_call.get(name, []),
                "operators": registrations.operators_in(registers),
                "calls": called(node, name, file, functions, places),
                "trivial": is_trivial(node),
                "text": "".join(code.text.splitlines(keepends=True)[first - 1 : last]),
            }
        )
    return sorted(named_once(found), key=lambda unit: unit["first"])


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions of the module and methods of its classes, also under `if` and `try`; of overloads, the last."""
    left: list[tuple[str, ast.AST]] = [("", statement) for statement in tree.body]
    while left:
        owner, node = left.pop(0)
        if isinstance(node, FUNCTIONS):
            yield owner + node.name, node
        elif isinstance(node, ast.ClassDef):
            left[:0] = [(f"{owner}{node.name}.", each) for each in node.body]
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            left[:0] = [(owner, each) for each in inner]


def registered_by_statement(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """`exp = register_pointwise(aten.exp)` at module level, named after what it defines or registers."""
    for statement in tree.body:
        value = getattr(statement, "value", None)
        if isinstance(statement, (ast.Expr, ast.Assign)) and registrations.is_registration(value):
            targets = getattr(statement, "targets", None)
            operators = registrations.operators_in([value])
            function = dotted(value.func) or "register"
            name = f"{function}({', '.join(operators[:2])})"
            yield (f"{ast.unparse(targets[0])} = {name}" if targets else name), statement


def registering(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.Call):
        return []
    if not isinstance(node, FUNCTIONS):
        return [node.value]
    return [d for d in node.decorator_list if registrations.registers(d)]


def named_once(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Several units with one name (setters, registrations of one table) are distinguished by a number."""
    seen: dict[str, int] = {}
    for unit in found:
        name = unit["name"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            unit["name"] = f"{name}#{seen[name]}"
    return found


def lines_of(node: ast.AST) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)]), node.end_lineno or node.lineno


def is_trivial(node: ast.AST) -> bool:
    """Contains nothing worth a hypothesis: a `pass`, a call passed on to another function, a registration of a line or
    two."""
    if not isinstance(node, FUNCTIONS):
        return node.end_lineno - node.lineno < FEW_LINES
    body = node.body[1:] if docstring_of(node) is not None else node.body
    if len(body) > FEW_STATEMENTS:
        return False
    return all(
        isinstance(s, (ast.Pass, ast.Raise)) or s.end_lineno - s.lineno < FEW_LINES - 1 for s in body
    ) and not any(isinstance(s, (ast.If, ast.For, ast.While, ast.With, ast.Try, *FUNCTIONS)) for s in body)


def called(node: ast.AST, name: str, file: str, functions: dict[str, ast.AST], places: Imports) -> list[list[str]]:
    """File and name of each function that its body calls and that is read, too, in order of the first call."""
    owner = name.rpartition(".")[0]
    found: dict[tuple[str, str], None] = {}
    for each in (inner for statement in getattr(node, "body", [node]) for inner in ast.walk(statement)):
        callee = dotted(each.func) if isinstance(each, ast.Call) else ""
        method = f"{owner}.{callee.partition('.')[2]}" if callee.startswith(("self.", "cls.")) else ""
        local = method or callee
        if local in functions:
            found.setdefault((file, local))
        elif callee and (place := places.place(callee)):
            found.setdefault(place)
    return [[at, callee] for at, callee in found if (at, callee) != (file, name) and area_of(at)]
