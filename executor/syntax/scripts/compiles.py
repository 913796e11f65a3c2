"""How programs request compilation: torch.compile and the like as a call, a decorator or a method, and what their
arguments become in OPTIONS."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import mode_table
from source import FUNCTIONS, dotted

COMPILERS = {"torch.compile", "torch._dynamo.optimize", "torch._dynamo.optimize_assert"}
GRAPH_COMPILERS = {"compile_fx", "compile_fx_inner", "make_boxed_func", "make_fx"}
MODES: dict[str, dict[str, Any]] = {
    "default": {},
    **{row.compile_mode: mode_table.asked(row) for row in mode_table.ROWS.values() if row.compile_mode},
    "max-autotune-no-cudagraphs": {"inductor_config": {"max_autotune": True, "coordinate_descent_tuning": True}},
}
STATIC = {"assume_static_by_default": True, "automatic_dynamic_shapes": False}


class Asked(NamedTuple):
    """One request to compile: what, with which arguments, where."""

    target: ast.expr | None
    keywords: tuple[ast.keyword, ...]
    line: int


class Compilers:
    """The names that stand for compilers in one program."""

    def __init__(self, tree: ast.AST) -> None:
        self.names = set(COMPILERS)
        self.given: dict[str, tuple[ast.keyword, ...]] = {}  # by functools.partial
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if f"{node.module}.{alias.name}" in COMPILERS:
                        self.names.add(alias.asname or alias.name)
                    if f"{node.module}.{alias.name}" == "torch._dynamo":
                        self.names.add((alias.asname or alias.name) + ".optimize")
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname and alias.name in ("torch", "torch._dynamo"):
                        self.names |= {alias.asname + n.removeprefix(alias.name) for n in COMPILERS if alias.name in n}
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.note_alias(node.targets[0].id, node.value)

    def note_alias(self, name: str, value: ast.expr) -> None:
        if dotted(value) in self.names:
            self.names.add(name)
            return
        partial = isinstance(value, ast.Call) and dotted(value.func).endswith("partial") and len(value.args) == 1
        if partial and self.is_name(value.args[0]):
            self.names.add(name)
            self.given[name] = tuple(value.keywords)

    def is_name(self, node: ast.AST) -> bool:
        return dotted(node) in self.names

    def asked(self, node: ast.AST) -> Asked | None:
        """The request in `torch.compile(f, …)` or `torch.compile(…)(f)`."""
        if not isinstance(node, ast.Call):
            return None
        if self.is_name(node.func):
            keywords = (*self.given.get(dotted(node.func), ()), *node.keywords)
            by_name = next((k.value for k in keywords if k.arg == "model"), None)
            rest = tuple(k for k in keywords if k.arg != "model")
            if dotted(node.func).endswith(("optimize", "optimize_assert")):
                backend = [ast.keyword("backend", argument) for argument in node.args[:1]]
                return Asked(None, (*backend, *rest), node.lineno)
            return Asked(node.args[0] if node.args else by_name, rest, node.lineno)
        outer = self.asked(node.func)
        if outer is not None and outer.target is None and len(node.args) == 1:
            return Asked(node.args[0], outer.keywords, node.lineno)
        return None

    def decorated(self, node: ast.AST) -> Asked | None:
        """The request of a function or class under `@torch.compile`."""
        for decorator in getattr(node, "decorator_list", ()):
            if self.is_name(decorator):
                return Asked(None, self.given.get(dotted(decorator), ()), decorator.lineno)
            asked = self.asked(decorator)
            if asked is not None:
                return asked
        return None

    def mentioned(self, tree: ast.AST) -> bool:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (self.asked(node) or is_compile_method(node)):
                return True
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and self.decorated(node):
                return True
        return False


def is_compile_method(node: ast.AST) -> bool:
    """`net.compile(…)`, in place."""
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compile"
    return method and not node.args and dotted(node.func).split(".")[0] not in ("re", "torch", "builtins", "")


def options_of(asked: Asked, notes: list[str]) -> dict[str, Any]:
    """OPTIONS for the arguments. Raises ValueError, with the line, for what they cannot express."""
    found: dict[str, Any] = {}
    for keyword in asked.keywords:
        name, value = keyword.arg, keyword.value
        text = ast.unparse(keyword.value)
        constant = value.value if isinstance(value, ast.Constant) else None
        if name in ("dynamic", "fullgraph", "nopython"):
            if constant is True:
                found["dynamic" if name == "dynamic" else "fullgraph"] = True
            elif name == "dynamic" and constant is False:
                found["dynamo_config"] = STATIC
            elif not isinstance(value, ast.Constant):
                raise ValueError(f"line {asked.line}: {name}={text} is not a constant")
        elif name == "mode" and not (constant is None and isinstance(value, ast.Constant)):
            if constant not in MODES:
                raise ValueError(f"line {asked.line}: mode={text} is not a known mode of torch.compile")
            found.update(MODES[constant])
        elif name == "options" and constant is None and not isinstance(value, ast.Constant):
            try:
                found["inductor_config"] = {**found.get("inductor_config", {}), **ast.literal_eval(value)}
            except (ValueError, TypeError):
                raise ValueError(f"line {asked.line}: options={text} is not a constant dict") from None
        elif name == "backend" and constant != "inductor":
            notes.append(f"line {asked.line}: compiled with inductor instead of backend {text}")
        elif name not in ("backend", "mode", "options", "disable"):
            raise ValueError(f"line {asked.line}: argument {name}={text} of the compiler is not understood")
    return found


def uncompiled(node: ast.AST, compilers: Compilers) -> ast.AST:
    """The same tree without any compilation. Changes the tree."""
    return Stripper(compilers).visit(node)


class Stripper(ast.NodeTransformer):
    def __init__(self, compilers: Compilers) -> None:
        self.compilers = compilers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        asked = self.compilers.asked(node)
        return asked.target if asked is not None and asked.target is not None else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if is_compile_method(node.value) else node

    def without_decorators(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        node.decorator_list = [
            d for d in node.decorator_list if not (self.compilers.is_name(d) or self.compilers.asked(d))
        ]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = without_decorators
