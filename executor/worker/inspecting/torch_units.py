"""The functions of torch's own Python files, as its source defines them: a function nested in another one belongs to
the outer one, a method is named with its class, and a statement of a module that makes a function has a name, too."""

import ast
import contextlib
import functools
import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass

import torch

MOST_NAMED = 60  # characters of a statement
ROOT = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


@dataclass(frozen=True, order=True)
class Unit:
    file: str  # "torch/_inductor/lowering.py"
    name: str  # "cat", "CppKernel.load"; a statement's is what it assigns, or what it calls
    first_line: int  # of its first decorator
    last_line: int


@dataclass(frozen=True)
class Parsed:
    unit: Unit
    node: ast.stmt


def file_of(path: str) -> str:
    """Its path as in site-packages; empty: it is not a file of torch."""
    return f"torch/{path[len(ROOT) :]}" if path.startswith(ROOT) else ""


@functools.cache
def parsed(file: str) -> tuple[Parsed, ...]:
    """All units of a file, in the order of their lines."""
    try:
        with open(ROOT + file.removeprefix("torch/"), encoding="utf-8") as source, _uncollected():
            return tuple(_units(ast.parse(source.read()).body, file, ""))
    except (OSError, SyntaxError, ValueError):  # ValueError: null bytes
        return ()


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """What is made inside lives until the process ends: looking for garbage in it takes most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


def _units(body: list[ast.stmt], file: str, prefix: str) -> Iterator[Parsed]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _units(node.body, file, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(node, part, []):
                    yield from _units(inner.body if isinstance(inner, ast.ExceptHandler) else [inner], file, prefix)
        else:
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            yield Parsed(Unit(file, prefix + _name(node), first, node.end_lineno or first), node)


def _name(node: ast.stmt) -> str:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    assigned = next((target.id for target in targets if isinstance(target, ast.Name)), "")
    return assigned or " ".join(ast.unparse(node).split())[:MOST_NAMED]


def unit_at(file: str, line: int) -> Unit | None:
    return next((one.unit for one in parsed(file) if one.unit.first_line <= line <= one.unit.last_line), None)


def is_statement(unit: Unit) -> bool:
    return any(one.unit == unit and not isinstance(one.node, ast.FunctionDef) for one in parsed(unit.file))
