"""The operator whose call raised, as the program writes it: what tells one lost check from another. CPython 3.11 keeps
where in its line an instruction stands (PEP 657); before that, the line's first call is as good as any."""

import ast
import types
from collections.abc import Callable
from typing import Any

import torch

SIGNS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "bool",
}
ACCESS = {ast.Load: "getitem", ast.Store: "setitem", ast.Del: "delitem"}
Lookup = Callable[[ast.expr], Any]


def operator(entry: types.TracebackType, source: str, value_in: Callable[[ast.expr, types.FrameType], Any]) -> str:
    """Of the instruction that a traceback's entry stands at; "" where nothing can be told. `value_in` gives what an
    expression means in a frame, or None."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    node = _exact(entry, tree) or _first_call(entry.tb_lineno, tree)
    return _named(node, lambda part: value_in(part, entry.tb_frame)) if node is not None else ""


def _exact(entry: types.TracebackType, tree: ast.Module) -> ast.AST | None:
    code = entry.tb_frame.f_code
    positions = list(code.co_positions()) if hasattr(code, "co_positions") else []
    place = entry.tb_lasti // 2
    if place >= len(positions) or None in positions[place]:
        return None
    first, last, begin, end = positions[place]
    wanted = (first, begin, last, end)
    nodes = (n for n in ast.walk(tree) if isinstance(n, (ast.expr, ast.stmt)))
    found = next((n for n in nodes if (n.lineno, n.col_offset, n.end_lineno, n.end_col_offset) == wanted), None)
    return found.value if isinstance(found, ast.Expr) else found  # the outermost of those that span the same text


def _first_call(line: int, tree: ast.Module) -> ast.AST | None:
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return min(calls, key=lambda n: (n.lineno, n.col_offset), default=None)


def _named(node: ast.AST, value_of: Lookup) -> str:
    if isinstance(node, ast.Call):
        called = value_of(node.func)
        if isinstance(called, torch.nn.Module):
            return type(called).__name__
        return _named(node.func, value_of) if isinstance(node.func, (ast.Attribute, ast.Name)) else "call"
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        value = value_of(node)
        return getattr(value, "__name__", node.id) if callable(value) else "bool"  # a tensor whose truth is asked
    if isinstance(node, ast.AugAssign):
        return "i" + SIGNS[type(node.op)]
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return SIGNS[type(node.op)]
    if isinstance(node, ast.Compare):
        return type(node.ops[0]).__name__.lower()
    if isinstance(node, ast.Subscript):
        return ACCESS[type(node.ctx)]
    if isinstance(node, (ast.IfExp, ast.If, ast.While, ast.BoolOp)):
        return "bool"
    return type(node).__name__.lower()
