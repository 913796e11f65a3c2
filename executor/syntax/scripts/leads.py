"""Which parts of a script lead to something compiled: only those are laid out, the others stay whole."""

from __future__ import annotations

import ast

import compiles
from known import DEEPEST, Known
from source import FUNCTIONS, dotted


class Leads(Known):
    def leads(self, tree: ast.AST, depth: int = 0) -> bool:
        """Whether it, or a function of the script that it calls, makes or calls something compiled."""
        for node in ast.walk(tree):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and self.compilers.decorated(node):
                return True
            if not isinstance(node, ast.Call):
                continue
            if self.compilers.asked(node) or compiles.is_compile_method(node) or self.asked_of(node.func):
                return True
            if not self.compiles and self.class_of(node) is not None:
                return True
            if self.leading(node, depth) is not None:
                return True
        return False

    def leading(self, call: ast.Call, depth: int = 0) -> ast.FunctionDef | None:
        """The script's own function or method with which a call should be replaced."""
        function = self.functions.get(dotted(call.func)) or self.method_of(call)
        if function is None or depth > DEEPEST or isinstance(function, ast.AsyncFunctionDef):
            return None
        given = [*call.args, *(k.value for k in call.keywords)]
        given = [a.value if isinstance(a, ast.Starred) else a for a in given]
        if any(self.asked_of(a) or self.asked_in(a) for a in given if not isinstance(a, ast.Call)):
            return function
        if any(self.asked_in(a) for a in given):
            return function
        if dotted(call.func) in self.compiled:
            return None
        return function if any(self.leads(s, depth + 1) for s in function.body) else None

    def method_of(self, call: ast.Call) -> ast.FunctionDef | None:
        """A method of an object that the script made; None if it is itself compiled, which is not laid out."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr in ("forward", "__call__", *self.attributes):
            return None
        owner = call.func.value
        name = self.instances.get(owner.id) if isinstance(owner, ast.Name) else None
        if isinstance(owner, ast.Call) and dotted(owner.func) in self.classes:
            name = dotted(owner.func)
        body = self.classes[name].body if name in self.classes else []
        found = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == call.func.attr]
        return found[0] if found and not found[0].decorator_list else None

    def class_of(self, node: ast.AST) -> str | None:
        """The script's module class of which an expression makes an instance: `Net(3).eval()`."""
        while isinstance(node, ast.Call):
            name = dotted(node.func)
            if name in self.classes:
                return name if is_module_class(self.classes[name], self.classes) else None
            node = node.func.value if isinstance(node.func, ast.Attribute) else None
        return None


def is_module_class(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool:
    for base in node.bases:
        name = dotted(base)
        if name.rpartition(".")[2] == "Module" or name.startswith(("nn.", "torch.nn.")):
            return True
        if name in classes and name != node.name and is_module_class(classes[name], classes):
            return True
    return False
