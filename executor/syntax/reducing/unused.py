"""A program without its unused parts: imports, functions, classes, attributes, local assignments."""

from __future__ import annotations

import ast
from collections import Counter

import drawing
from names import bound, imported_name, loaded
from source import FUNCTIONS, Change, Source, bodies, dotted, last_name

ROUNDS = 50
CONTRACT = {"Model", "get_inputs", "get_init_inputs", "OPTIONS", "forward", "step", "get_state"}
# These access attributes without naming them.
REFLECTION = {"getattr", "vars", "modules", "named_modules", "children", "named_children", "parameters", "apply"}
REFLECTION |= {"named_parameters", "state_dict", "__dict__", "buffers", "named_buffers", "globals", "locals"}
REFLECTION |= {"_buffers", "_parameters", "_modules"}
PURE_ROOTS = {"torch", "F", "nn", "math"}
PURE_BUILTINS = {
    "len",
    "int",
    "float",
    "bool",
    "min",
    "max",
    "abs",
    "range",
    "tuple",
    "list",
    "dict",
    "set",
    "sum",
    "round",
}
IMPURE_METHODS = {
    "append",
    "extend",
    "pop",
    "insert",
    "remove",
    "clear",
    "update",
    "setdefault",
    "write",
    "popitem",
    "add",
}
IMPURE_METHODS |= {
    "backward",
    "register_buffer",
    "register_parameter",
    "manual_seed",
    "set_grad_enabled",
    "send",
    "close",
}


def without_unused(code: Source, unread_locals: bool) -> Source:
    """Removes to a fixpoint; a round whose result does not parse is discarded. `unread_locals`: locals that are never
    read stay, because removing them removes the errors that computing them raises."""
    for _ in range(ROUNDS):
        changes = [*module_level(code), *attributes(code), *([] if unread_locals else locals_(code))]
        if not changes:
            break
        try:
            code = code.changed(changes)
        except SyntaxError:
            break
    return code


def module_level(code: Source) -> list[Change]:
    changes: list[Change] = []
    reads = [loaded(node) for node in code.tree.body]
    readers = Counter(name for names in reads for name in names)
    for node, own in zip(code.tree.body, reads, strict=True):
        # Names that another statement reads.
        others = CONTRACT | {name for name in defined(node) if readers[name] > (name in own)}
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            changes += import_changes(code, node, others)
        elif isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            if node.name not in others and not node.decorator_list:
                changes += code.removals([node], code.tree.body)
        elif isinstance(node, ast.Assign) and pure(node.value):
            targets = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
            if all(isinstance(t, (ast.Name, ast.Tuple)) for t in node.targets) and not set(targets) & others:
                changes += code.removals([node], code.tree.body)
    return changes


def defined(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
        return {node.name}
    return bound(node) if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assign)) else set()


def import_changes(code: Source, node: ast.Import | ast.ImportFrom, others: set[str]) -> list[Change]:
    if isinstance(node, ast.ImportFrom) and (node.module == "__future__" or any(a.name == "*" for a in node.names)):
        return []
    kept = [alias for alias in node.names if imported_name(alias) in others]
    if len(kept) == len(node.names):
        return []
    if not kept:
        return code.removals([node], code.tree.body)
    names = ", ".join(alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in kept)
    head = f"from {'.' * node.level}{node.module or ''} import " if isinstance(node, ast.ImportFrom) else "import "
    return [code.replacement(node, head + names)]


def attributes(code: Source) -> list[Change]:
    """Methods that are never named, and `self.a = …` or `self.register_buffer("a", …)` of __init__ if it is never
    read."""
    registrations = {id(n.args[0]) for n in ast.walk(code.tree) if isinstance(n, ast.Call) and is_registration(n)}
    read = {n.attr for n in ast.walk(code.tree) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Store)}
    read |= {
        n.target.attr
        for n in ast.walk(code.tree)
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Attribute)
    }
    texts = (n for n in ast.walk(code.tree) if isinstance(n, ast.Constant) and id(n) not in registrations)
    read |= {n.value for n in texts if isinstance(n.value, str)}
    if (read | loaded(code.tree)) & REFLECTION:
        return []
    changes: list[Change] = []
    for owner in code.tree.body:
        if not isinstance(owner, ast.ClassDef) or not any(last_name(base) == "Module" for base in owner.bases):
            continue
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or method.decorator_list:
                continue
            if method.name not in read | CONTRACT and not method.name.startswith("__"):
                changes += code.removals([method], owner.body)
            elif method.name == "__init__":
                changes += code.removals([s for s in method.body if is_unread_attribute(s, read)], method.body)
    return changes


def is_registration(call: ast.Call) -> bool:
    """Whether it registers a buffer or parameter under a plain name."""
    named = dotted(call.func) in ("self.register_buffer", "self.register_parameter")
    return named and bool(call.args) and isinstance(call.args[0], ast.Constant)


def is_unread_attribute(statement: ast.stmt, read: set[str]) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and is_registration(statement.value):
        first, *rest = statement.value.args
        return first.value not in read and all(pure(value, constructing=True) for value in rest)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    named = isinstance(target, ast.Attribute) and dotted(target).startswith("self.")
    # Constructors of modules draw the initial values of their parameters: the seed is set again before each run, so the
    # remaining parameters merely get other random values.
    return named and target.attr not in read and pure(statement.value, constructing=True)


def locals_(code: Source) -> list[Change]:
    """`name = pure expression` in a function that never reads the name."""
    changes: list[Change] = []
    for function in (n for n in ast.walk(code.tree) if isinstance(n, FUNCTIONS)):
        used = loaded(function)
        if used & {"locals", "eval", "exec"}:
            continue
        for _owner, body in bodies(function):
            changes += code.removals([s for s in body if is_unread_local(s, used) or is_idle(s)], body)
    return changes


def is_unread_local(statement: ast.stmt, used: set[str]) -> bool:
    if not isinstance(statement, ast.Assign) or not pure(statement.value):
        return False
    names = [n for t in statement.targets for n in ast.walk(t)]
    plain = all(isinstance(n, (ast.Name, ast.Tuple, ast.Store)) for n in names)
    return plain and not {n.id for n in names if isinstance(n, ast.Name)} & used


def is_idle(statement: ast.stmt) -> bool:
    """Whether it is an expression statement without effect. Docstrings stay: they say what the program is about."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name)


def pure(value: ast.AST, constructing: bool = False) -> bool:
    """Whether removing the expression can change nothing except time. Errors that it would raise do not count."""
    for node in ast.walk(value):
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
        if isinstance(node, ast.Call) and not pure_call(node, constructing):
            return False
    return True


def pure_call(call: ast.Call, constructing: bool) -> bool:
    name = last_name(call.func)
    if any(k.arg in ("out", "inplace") for k in call.keywords) or (name.endswith("_") and not name.endswith("__")):
        return False
    if not constructing and drawing.is_drawing(name):
        return False
    path = dotted(call.func)
    root = path.split(".")[0]
    if root == "self":
        return False  # a module may keep state
    if isinstance(call.func, ast.Name):
        return name in PURE_BUILTINS or (constructing and name[:1].isupper())
    return root in PURE_ROOTS and name not in IMPURE_METHODS or name not in IMPURE_METHODS
