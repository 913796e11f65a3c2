"""A program whose end is missing: cut back until the rest parses and still fulfils the contract."""

from __future__ import annotations

import ast

from source import Source, parse

CUTS = 300


def complete(tree: ast.Module) -> bool:
    """Whether there is a Model with a forward that returns, and a get_inputs that returns."""
    returning: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            returning |= {node.name} if has_return(node) else set()
        if isinstance(node, ast.ClassDef):
            methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "forward"]
            returning |= {node.name} if any(has_return(m) for m in methods) else set()
    return {"Model", "get_inputs"} <= returning


def has_return(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(function))


def salvage(program: str) -> tuple[str, list[str]]:
    """The longest head that parses and is complete, with a description of the cut. Raises SyntaxError if there is
    none."""
    try:
        parse(program)
        return program, []  # a cut after the last needed line is not a cut
    except SyntaxError as error:
        first = error
    lines = program.rstrip("\n").split("\n")
    for dropped in range(1, min(len(lines), CUTS)):
        head = "\n".join(lines[:-dropped]) + "\n"
        try:
            tree = parse(head)
        except SyntaxError:
            continue
        if complete(tree):
            return Source(head).text, [f"dropped {dropped} lines at the cut-off end"]
        if not any(isinstance(node, ast.ClassDef) and node.name == "Model" for node in tree.body):
            break
    raise SyntaxError(f"cut off, and the rest is not a program: {first.msg}", ("program", first.lineno, 0, None))
