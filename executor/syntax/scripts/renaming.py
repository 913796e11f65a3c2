"""New names in a tree: for a function's variables when it is laid out, for the attributes of a test class."""

from __future__ import annotations

import ast


class Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        inner = Renamer({name: new for name, new in self.names.items() if name not in own})
        node.body = [inner.visit(statement) for statement in node.body]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        node.body = Renamer({name: new for name, new in self.names.items() if name not in own}).visit(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


class WithoutSelf(ast.NodeTransformer):
    """`self.x` of a test class becomes the name `x`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr in self.names:
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node
