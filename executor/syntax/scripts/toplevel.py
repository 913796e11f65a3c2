"""What a program does at import: imports, constants, functions and classes stay, everything else goes."""

from __future__ import annotations

import ast

from names import bound, loaded
from source import FUNCTIONS, Source, docstring_of, dotted, last_name

PURE_CALLS = {"frozenset", "tuple", "dict", "list", "set", "range", "float", "int", "bool", "namedtuple", "TypeVar"}
PURE_CALLS |= {"object", "len", "min", "max", "sum", "slice", "partial", "sorted", "zip", "enumerate", "abs", "round"}
QUIET = {"print", "len", "exit", "repr", "str", "display", "main", "input", "assert_close"}
REGISTERING = ("register", "library", "define", "impl", "allow_in_graph", "add_safe_globals")


def module_names(tree: ast.Module) -> set[str]:
    """Names that functions, classes, imports and assignments bind at module level."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            names.add(node.name)
        else:
            names |= bound(node)
    return names


def is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))


def constant_like(value: ast.AST) -> bool:
    """Whether it calls nothing except constructors of plain data, dtypes and arithmetic."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            leaf = name.split(".")[-1]
            if leaf not in PURE_CALLS and not name.startswith(("math.", "operator.", "collections.", "functools.")):
                return False
    return True


def changed(tree: ast.AST) -> set[str]:
    """Names whose objects a statement changes: `x[0] = 1`, `inputs.append(x)`, `torch.relu_(x)`, `f(out=x)`."""
    targets: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            targets.append(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            targets += [] if isinstance(node.value.func, ast.Name) else [node.value.func]
            targets += node.value.args[:1] if last_name(node.value.func).endswith("_") else []
            targets += [keyword.value for keyword in node.value.keywords if keyword.arg == "out"]
    names = set()
    for target in targets:
        while isinstance(target, (ast.Subscript, ast.Attribute, ast.Call)):
            target = target.func if isinstance(target, ast.Call) else target.value
        if isinstance(target, ast.Name) and target.id != "torch":
            names.add(target.id)
    return names


def sets_torch(node: ast.stmt) -> bool:
    """Whether it sets how torch behaves, beyond seeds and what OPTIONS can hold: `torch.backends.x = …`,
    `torch.use_…(True)`."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return dotted(node.targets[0]).startswith("torch.") and not dotted(node.targets[0]).startswith("torch._")
    name = dotted(node.value.func) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
    sets = name.startswith(("torch.set_", "torch.use_", "torch.backends.", "torch.autograd.set_"))
    return sets and name not in ("torch.set_default_device", "torch.set_printoptions", "torch.set_grad_enabled")


def keeps(node: ast.stmt, needed: set[str]) -> bool:
    """Whether a module-level statement stays. `needed`: names that functions and classes read."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Pass, *FUNCTIONS)):
        return True
    if sets_torch(node):
        return True
    if is_assignment(node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        if not all(isinstance(target, (ast.Name, ast.Tuple, ast.List)) for target in targets):
            return dotted(targets[0]).split(".")[0] in needed - {"torch"}
        return node.value is None or constant_like(node.value) or bool(names & needed)
    if isinstance(node, (ast.Try, ast.With)) or (isinstance(node, ast.If) and not is_main_guard(node)):
        return bool((bound(node) | changed(node)) & needed)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = dotted(node.value.func)
        if any(word in name for word in REGISTERING):
            return True
        if name and "." not in name and name not in QUIET:
            return bool(set().union(*(loaded(argument) for argument in node.value.args), set()) & needed)
        return name.split(".")[0] in needed - {"torch", "print", "np", "random", "warnings"} and "." in name
    return isinstance(node, (ast.For, ast.AugAssign)) and bool(bound(node) & needed)


def free_names(node: ast.AST) -> set[str]:
    """The names that a function or class reads from the enclosing scope."""
    if isinstance(node, FUNCTIONS):
        return loaded(node) - bound(node)
    if isinstance(node, ast.ClassDef):
        outside = [*node.bases, *node.keywords, *node.decorator_list]
        return set().union(*(free_names(part) for part in [*node.body, *outside]))
    return loaded(node)


def needed_names(tree: ast.Module) -> set[str]:
    needed: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            needed |= free_names(node)
    # What a needed constant is made of is needed, too.
    for _ in range(10):
        before = len(needed)
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.With, ast.Try)) and bound(node) & needed:
                needed |= loaded(node)
        if len(needed) == before:
            break
    return needed


def is_assignment(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Assign, ast.AnnAssign))


def remove_statements(code: Source, done: list[str]) -> Source:
    """Removes what would run at import."""
    needed = needed_names(code.tree)
    keep_first = docstring_of(code.tree)
    going = [n for n in code.tree.body if n is not keep_first and not keeps(n, needed)]
    gone = set().union(*(bound(n) for n in going)) - needed
    going += [n for n in code.tree.body if n not in going and is_assignment(n) and loaded(n) & gone]
    if not going:
        return code
    done.append(f"removed {len(going)} module-level statements")
    done.append(f"left out {', '.join(map(shown, going))}")
    return code.changed(code.removals(going, code.tree.body))


def shown(node: ast.stmt) -> str:
    first = ast.unparse(node).split("\n")[0]
    return f"line {node.lineno} `{first if len(first) <= 60 else first[:57] + '...'}`"
