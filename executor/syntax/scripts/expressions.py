"""Expressions of a script while it is laid out."""

from __future__ import annotations

import ast
from typing import Any, Protocol

import compiles
from source import last_name


class Script(Protocol):
    """What an expression needs from the script around it (flow.py)."""

    compilers: compiles.Compilers

    def constant(self, node: ast.expr) -> Any: ...
    def asked_in(self, node: ast.AST) -> Any: ...
    def asked_of(self, node: ast.expr) -> compiles.Asked | None: ...
    def leading(self, call: ast.Call) -> ast.FunctionDef | None: ...
    def mark(self, call: ast.Call, asked: compiles.Asked) -> None: ...
    def inline(self, function: ast.FunctionDef, call: ast.Call) -> ast.expr: ...


class Expressions(ast.NodeTransformer):
    """Removes compilation from an expression, marks compiled calls and lays out functions that lead to them."""

    def __init__(self, flow: Script) -> None:
        self.flow = flow

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return compiles.uncompiled(node, self.flow.compilers)

    visit_ListComp = visit_GeneratorExp = visit_DictComp = visit_SetComp = visit_Lambda

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        value = self.flow.constant(node.test)
        strings = all(isinstance(n, ast.Constant) or "device" in ast.unparse(n) for n in (node.body, node.orelse))
        if value is not ... and not strings:
            return self.visit(node.body if value else node.orelse)
        for branch in (node.body, node.orelse):
            if self.flow.asked_in(branch):
                return self.visit(branch)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        asked = self.flow.compilers.asked(node)
        if asked is not None and asked.target is not None:
            target = self.visit(asked.target)
            target.asked = asked._replace(keywords=tuple(map(self.resolved, asked.keywords)))
            return target
        function = self.flow.leading(node)
        node = self.generic_visit(node)
        asked = self.flow.asked_of(node.func)
        if asked is not None:
            self.flow.mark(node, asked)
        elif function is not None:
            if isinstance(node.func, ast.Attribute):
                node.args = [node.func.value, *node.args]
            return self.flow.inline(function, node)
        elif last_name(node.func) == "parse_args" and not node.args:
            node.args = [ast.List([], ast.Load())]
        return node

    def resolved(self, keyword: ast.keyword) -> ast.keyword:
        value = self.flow.constant(keyword.value)
        return keyword if value is ... else ast.keyword(keyword.arg, ast.parse(repr(value), mode="eval").body)
