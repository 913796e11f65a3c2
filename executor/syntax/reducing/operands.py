"""Reductions within an expression: an operator is replaced with one of its operands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from reduction import CHOOSE, Reduction
from source import FUNCTIONS, Source, dotted, is_base_call

ROOTS = ("torch", "F", "nn")
MOST_OPERANDS = 3


def reductions(code: Source) -> Iterator[Reduction]:
    """Larger expressions first; those that make modules and inputs last."""
    found = []
    computes = set(computing(code))
    for function in functions(code):
        for node in ast.walk(function):
            for number, operand in enumerate(operands(node)[:MOST_OPERANDS]):
                # A size cannot become an input or a module.
                if function in computes or any(isinstance(part, ast.Call) for part in ast.walk(operand)):
                    rank = (function not in computes, code.start(node) - code.end(node), number)
                    found.append((rank, node, operand))
    found.sort(key=lambda entry: entry[0])
    for (_, _, number), node, operand in found:
        text = code.segment(operand)
        if isinstance(operand, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.BoolOp)):
            text = f"({text})"
        key = f"{code.start(node)}-{code.end(node)} {number}"
        what = f"{text[:40]} for {code.segment(node)[:40]}"
        yield Reduction("operand", CHOOSE, key, what, [code.replacement(node, text)])


def computing(code: Source) -> Iterator[ast.FunctionDef]:
    """The functions that compute: forward and its helpers, not those that make modules or inputs."""
    return (f for f in functions(code) if f.name not in ("__init__", "get_inputs", "get_init_inputs"))


def functions(code: Source) -> Iterator[ast.FunctionDef]:
    """All functions at module level or in a class."""
    for owner in code.tree.body:
        for function in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            if isinstance(function, FUNCTIONS):
                yield function


def operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.value]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "real", "imag", "data"):
        return [node.value]
    if not isinstance(node, ast.Call) or is_base_call(node):
        return []
    given = [argument for argument in node.args if is_operand(argument)]
    if isinstance(node.func, ast.Attribute) and dotted(node.func.value).split(".")[0] not in ROOTS:
        of_module = dotted(node.func.value) == "self" or dotted(node.func).startswith("self.")
        return given if of_module else [node.func.value, *given]
    for argument in node.args:
        if isinstance(argument, (ast.List, ast.Tuple)):
            given += [element for element in argument.elts if is_operand(element)]
    return given


def is_operand(node: ast.expr) -> bool:
    """Whether it can be a tensor."""
    return not isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Starred, ast.Lambda, ast.UnaryOp))
