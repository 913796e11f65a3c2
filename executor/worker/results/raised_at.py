"""The operator whose call raised: this distinguishes one lost check from another, however the program spells the call
(method, module, function, in place). If torch's own Python was on the way, its innermost call is the best answer.
CPython 3.11 and later record where in its line an instruction is (PEP 657); before that, the first call of the
program's line has to do."""

import ast
import linecache
import os
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
_TORCH = os.path.dirname(torch.__file__) + os.sep
# they pass on calls of anything
_HAND_ON = ("_ops.py", "overrides.py", "_jit_internal.py", os.path.join("utils", "_contextlib.py"))


def operator(
    inward: list[types.TracebackType], source: str, value_in: Callable[[ast.expr, types.FrameType], Any]
) -> str:
    """`inward`: a traceback's entries from the program's innermost one on. Returns "" if the operator cannot be
    determined.
    `value_in` returns the value of an expression in a frame, or None."""
    library = [e for e in inward[1:] if _is_library(e.tb_frame.f_code.co_filename)]
    named = _library_call(library[-1]) if library else ""
    return _plain(named or _program_call(inward[0], source, value_in))


def _is_library(file: str) -> bool:
    return file.startswith(_TORCH) and file.removeprefix(_TORCH) not in _HAND_ON


def _plain(name: str) -> str:
    """The in-place form is the same operator."""
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def _library_call(entry: types.TracebackType) -> str:
    """What torch's own Python called there, or the function that itself raised."""
    place = _position(entry)
    if place is None:
        return ""
    first, last, begin, end = place
    lines = [linecache.getline(entry.tb_frame.f_code.co_filename, n).encode() for n in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    try:
        node = ast.parse(b"(" + b"".join(lines) + b"\n)", mode="eval").body
    except SyntaxError:  # a statement
        node = None
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
        return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    owner = entry.tb_frame.f_locals.get("self")
    return type(owner).__name__ if isinstance(owner, torch.nn.Module) else entry.tb_frame.f_code.co_name


def _program_call(entry: types.TracebackType, source: str, value_in: Callable[[ast.expr, types.FrameType], Any]) -> str:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    node = _exact(entry, tree) or _first_call(entry.tb_lineno, tree)
    return _named(node, lambda part: value_in(part, entry.tb_frame)) if node is not None else ""


def _position(entry: types.TracebackType) -> tuple[int, int, int, int] | None:
    """First line, last line, first column, and the column after the last."""
    code = entry.tb_frame.f_code
    positions = list(code.co_positions()) if hasattr(code, "co_positions") else []
    place = entry.tb_lasti // 2
    return None if place >= len(positions) or None in positions[place] else positions[place]


def _exact(entry: types.TracebackType, tree: ast.Module) -> ast.AST | None:
    place = _position(entry)
    if place is None:
        return None
    first, last, begin, end = place
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
        words = ast.unparse(node).split(".")
        return words[3] if words[:2] == ["torch", "ops"] and len(words) > 3 else node.attr  # torch.ops.aten.add.Tensor
    if isinstance(node, ast.Name):
        value = value_of(node)
        # the truth value of a tensor is requested
        return getattr(value, "__name__", node.id) if callable(value) else "bool"
    if isinstance(node, (ast.AugAssign, ast.BinOp, ast.UnaryOp)):
        return SIGNS[type(node.op)]
    if isinstance(node, ast.Compare):
        return type(node.ops[0]).__name__.lower()
    if isinstance(node, ast.Subscript):
        return ACCESS[type(node.ctx)]
    if isinstance(node, (ast.IfExp, ast.If, ast.While, ast.BoolOp)):
        return "bool"
    return type(node).__name__.lower()
