"""Whether a statement's result is used, read from the program's text. Compilers drop dead code, and with it the errors
it would raise."""

import ast

_EFFECTS = (ast.Return, ast.Raise, ast.Assert, ast.Global, ast.Nonlocal, ast.Delete, ast.Import, ast.ImportFrom)
_EFFECTIVE = ("item", "tolist", "append", "extend", "insert", "update", "pop", "write", "backward", "check")
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)


def is_dead(source: str, lines: list[int]) -> bool:
    """`lines` are those of the program's frames on the stack, outermost first: dead if any of the statements is."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    return any(_is_dead_line(tree, line) for line in lines)


def _is_dead_line(tree: ast.Module, line: int) -> bool:
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and _covers(n, line)]
    if not functions:
        return False
    function = max(functions, key=lambda n: n.lineno)
    statements = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function]
    if any(isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) for n in ast.walk(function) if n is not function):
        return False  # names that an inner function reads are not tracked
    live = _live(statements)
    at = [n for n in statements if _covers(n, line) and not isinstance(n, _COMPOUND)]
    return bool(at) and not any(statement in live for statement in at)


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _live(statements: list[ast.stmt]) -> set[ast.stmt]:
    """Statements with an effect, and all that assign a name which one of the live ones reads."""
    live = {statement for statement in statements if _has_effect(statement)}
    while True:
        read = {name for statement in live for name in _names(statement, ast.Load)}
        more = {s for s in statements if s not in live and (_names(s, ast.Store) & read)}
        if not more:
            return live
        live |= more


def _own(statement: ast.stmt) -> list[ast.AST]:
    """The statement's nodes without the statements of its body."""
    nodes: list[ast.AST] = [statement]
    for node in nodes:
        nodes += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return nodes


def _names(statement: ast.stmt, context: type) -> set[str]:
    found = {n.id for n in _own(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.add(statement.target.id)
    return found


def _has_effect(statement: ast.stmt) -> bool:
    if isinstance(statement, (*_EFFECTS, *_COMPOUND)):
        return True
    for node in _own(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)):
            return True
        if isinstance(node, ast.Call) and _call_has_effect(node):
            return True
    return isinstance(statement, ast.AugAssign)  # on a tensor it writes in place


def _call_has_effect(call: ast.Call) -> bool:
    """In-place operators end in an underscore; of the other calls only those into torch and on tensors are harmless."""
    if any(keyword.arg == "out" for keyword in call.keywords):
        return True
    if isinstance(call.func, ast.Attribute):
        owner = call.func
        while isinstance(owner, (ast.Attribute, ast.Subscript, ast.Call)):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        of_module = isinstance(owner, ast.Name) and owner.id == "self"
        name = call.func.attr
        return of_module or name in _EFFECTIVE or name.endswith("_") or name.startswith("_") or "assert" in name
    return not (isinstance(call.func, ast.Name) and call.func.id in ("int", "float", "len", "range", "min", "max"))
