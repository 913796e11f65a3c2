"""What is known about a script's names while it is laid out: which are compiled, which are objects, and plain
values."""

from __future__ import annotations

import ast
from typing import Any

import carried
import compiles
from source import FUNCTIONS, dotted

DEEPEST = 8
PLAIN_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


class Known:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.compilers = compiles.Compilers(tree)
        self.aliases = carried.module_aliases(tree)
        self.compiles = self.compilers.mentioned(tree)
        self.functions = {n.name: n for n in tree.body if isinstance(n, FUNCTIONS)}
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self.compiled: dict[str, compiles.Asked] = {}  # names
        self.attributes: dict[str, compiles.Asked] = {}  # names of attributes, whatever object has them
        self.instances: dict[str, str] = {}  # names of objects, and their classes
        self.values: dict[str, ast.expr] = {}  # what a name was last bound to
        self.note_definitions()

    def note_definitions(self) -> None:
        for name, function in self.functions.items():
            asked = self.compilers.decorated(function)
            if asked is not None:
                self.compiled[name] = asked
        for name, owner in self.classes.items():
            asked = self.compilers.decorated(owner)
            if asked is not None:
                self.attributes[f"{name}.forward"] = asked
            for node in ast.walk(owner):
                self.note_inside(name, node)

    def note_inside(self, owner: str, node: ast.AST) -> None:
        """`self.loss = torch.compile(self._loss)`, `@torch.compile def forward`."""
        asked = self.compilers.decorated(node) if isinstance(node, FUNCTIONS) else None
        if asked is not None:
            self.attributes[f"{owner}.forward" if node.name in ("forward", "__call__") else node.name] = asked
        value = getattr(node, "value", None) if isinstance(node, PLAIN_ASSIGNMENTS) else None
        asked = self.asked_in(value) if value is not None else None
        for target in getattr(node, "targets", []) if asked is not None else []:
            if isinstance(target, ast.Attribute):
                self.attributes[target.attr] = asked
        if compiles.is_compile_method(node) and dotted(node.func) == "self.compile":
            self.attributes[f"{owner}.forward"] = compiles.Asked(None, tuple(node.keywords), node.lineno)

    def asked_in(self, value: ast.AST) -> compiles.Asked | None:
        if isinstance(value, ast.IfExp):
            return self.asked_in(value.body) or self.asked_in(value.orelse)
        return self.compilers.asked(value)

    def asked_of(self, function: ast.expr) -> compiles.Asked | None:
        """Whether calling this runs something compiled."""
        if hasattr(function, "asked"):
            return function.asked
        if isinstance(function, ast.Name):
            owner = self.instances.get(function.id)
            if function.id in self.compiled:
                return self.compiled[function.id]
            return self.attributes.get(f"{owner}.forward") if owner else None
        if isinstance(function, ast.Attribute):
            if function.attr in ("forward", "__call__") and (asked := self.asked_of(function.value)):
                return asked
            if function.attr in self.attributes and dotted(function).split(".")[0] not in ("torch", "nn", "F"):
                return self.attributes[function.attr]
        if isinstance(function, ast.Call) and dotted(function.func) in self.classes:
            return self.attributes.get(f"{dotted(function.func)}.forward")
        if isinstance(function, ast.Subscript):
            return getattr(self.element(function), "asked", None)
        return None

    def element(self, node: ast.Subscript) -> ast.expr | None:
        """An element of a list or dict written out in the script."""
        value = self.literal(node.value)
        key = self.constant(node.slice)
        if isinstance(value, ast.Dict):
            for name, element in zip(value.keys, value.values, strict=True):
                if name is not None and self.constant(name) == key:
                    return element
        if (
            isinstance(value, (ast.List, ast.Tuple))
            and isinstance(key, int)
            and -len(value.elts) <= key < len(value.elts)
        ):
            return value.elts[key]
        return None

    def literal(self, node: ast.expr) -> ast.expr:
        """What a name was bound to, if that was written out."""
        for _ in range(DEEPEST):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def constant(self, node: ast.expr) -> Any:
        """A plain value; Ellipsis if it is not known."""
        node = self.literal(node)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError):
            pass
        if isinstance(node, ast.Call) and dotted(node.func).endswith(("cuda.is_available", "xpu.is_available")):
            return False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value = self.constant(node.operand)
            return value if value is ... else not value
        if isinstance(node, ast.BoolOp):
            return self.joined(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compared(node)
        return ...

    def joined(self, node: ast.BoolOp) -> Any:
        values = [self.constant(value) for value in node.values]
        decided = [v for v in values if v is not ... and bool(v) == isinstance(node.op, ast.Or)]
        if decided:
            return decided[0]
        return ... if ... in values else values[-1]

    def compared(self, node: ast.Compare) -> Any:
        left, right = self.constant(node.left), self.constant(node.comparators[0])
        if left is ... or right is ...:
            return ...
        operators: dict[type, Any] = {
            ast.Eq: lambda a, b: a == b,
            ast.NotEq: lambda a, b: a != b,
            ast.Is: lambda a, b: a is b,
            ast.IsNot: lambda a, b: a is not b,
            ast.In: lambda a, b: a in b,
            ast.NotIn: lambda a, b: a not in b,
            ast.Gt: lambda a, b: a > b,
            ast.Lt: lambda a, b: a < b,
            ast.GtE: lambda a, b: a >= b,
            ast.LtE: lambda a, b: a <= b,
        }
        try:
            return operators[type(node.ops[0])](left, right)
        except TypeError:
            return ...

    def forget(self, names: set[str]) -> None:
        for name in names:
            for table in (self.values, self.compiled, self.instances):
                table.pop(name, None)
