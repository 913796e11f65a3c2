"""What a program does at import: imports, constants, functions and classes stay, the rest goes."""

from __future__ import annotations

import ast

from names import bound, loaded
from source import FUNCTIONS, Source, docstring_of, dotted

INPUT_LISTS = ("inputs", "example_inputs", "input_tensors", "args", "sample_inputs")
PURE_CALLS = {"frozenset", "tuple", "dict", "list", "set", "range", "float", "int", "bool", "namedtuple", "TypeVar"}
PURE_CALLS |= {"object", "len", "min", "max", "sum", "slice", "partial", "sorted", "zip", "enumerate", "abs", "round"}
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
    """Calls nothing but constructors of plain data, dtypes and arithmetic."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            leaf = name.split(".")[-1]
            if leaf not in PURE_CALLS and not name.startswith(("math.", "operator.", "collections.", "functools.")):
                return False
    return True


def keeps(node: ast.stmt, needed: set[str]) -> bool:
    """Whether a module-level statement stays. `needed`: names that functions and classes read."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Pass, *FUNCTIONS)):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        if not all(isinstance(target, (ast.Name, ast.Tuple, ast.List)) for target in targets):
            return dotted(targets[0]).split(".")[0] in needed - {"torch"}
        return node.value is None or constant_like(node.value) or bool(names & needed)
    if isinstance(node, (ast.Try, ast.With)) or (isinstance(node, ast.If) and not is_main_guard(node)):
        return bool(bound(node) & needed)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = dotted(node.value.func)
        if any(word in name for word in REGISTERING):
            return True
        return name.split(".")[0] in needed - {"torch", "print", "np", "random", "warnings"} and "." in name
    return isinstance(node, (ast.For, ast.AugAssign)) and bool(bound(node) & needed)


def free_names(node: ast.AST) -> set[str]:
    """What a function or class reads from around it."""
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
    # What a needed constant is made of is needed too.
    for _ in range(10):
        before = len(needed)
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.With, ast.Try)) and bound(node) & needed:
                needed |= loaded(node)
        if len(needed) == before:
            break
    return needed


def remove_statements(code: Source, done: list[str]) -> Source:
    """Takes out what would run at import."""
    needed = needed_names(code.tree)
    keep_first = docstring_of(code.tree)
    going = [n for n in code.tree.body if n is not keep_first and not keeps(n, needed)]
    if not going:
        return code
    done.append(f"removed {len(going)} module-level statements")
    return code.changed(code.removals(going, code.tree.body))


def wrap_inputs(code: Source) -> Source | None:
    """get_inputs from assignments at module level or under the main guard; None when they are not certain."""
    statements = list(code.tree.body)
    for node in code.tree.body:
        statements += node.body if is_main_guard(node) else []
    assigned = {}
    for node in statements:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            assigned[node.targets[0].id] = node
    returned = returned_expression(code, statements, assigned)
    if returned is None:
        return None
    wanted = loaded(ast.parse(returned))
    for node in reversed(list(assigned.values())):
        if node.targets[0].id in wanted:
            wanted |= loaded(node.value)
    lines = [code.segment(node) for name, node in assigned.items() if name in wanted]
    if not lines or any("\n" in line for line in lines):
        return None
    body = "".join(f"    {line}\n" for line in lines)
    return Source(code.text.rstrip("\n") + f"\n\n\ndef get_inputs():\n{body}    return {returned}\n")


def returned_expression(code: Source, statements: list[ast.stmt], assigned: dict[str, ast.Assign]) -> str | None:
    for name in INPUT_LISTS:
        if name in assigned and isinstance(assigned[name].value, (ast.List, ast.Tuple)):
            return f"list({name})"
    models = {n for n, a in assigned.items() if isinstance(a.value, ast.Call) and dotted(a.value.func) == "Model"}
    for statement in statements:
        if isinstance(statement, (ast.ClassDef, *FUNCTIONS)) or is_main_guard(statement):
            continue
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and dotted(call.func) in models and not call.keywords:
                return "[" + ", ".join(code.segment(argument) for argument in call.args) + "]"
    forward = code.method("Model", "forward")
    parameters = [argument.arg for argument in forward.args.args[1:]] if forward else []
    if parameters and all(name in assigned for name in parameters):
        return "[" + ", ".join(parameters) + "]"
    return None
