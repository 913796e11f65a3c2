"""Parameters of get_inputs and of the model's constructor that always get the same constant: the constant replaces them
where they are read. forward is not touched: the way it is written may matter."""

from __future__ import annotations

import ast
import copy
import textwrap

import options
from inputs import returned_list
from names import bound, loaded
from source import Change, Source, dotted


def without_fixed_parameters(code: Source) -> Source:
    """If the resulting text would be invalid, the program stays as it is."""
    try:
        changes = [*of_inputs(code), *of_constructor(code)]
        return code.changed_together([changes]) if changes else code
    except (SyntaxError, ValueError, RecursionError):
        return code


def of_inputs(code: Source) -> list[Change]:
    """get_inputs is called without arguments or, from the second call on, with a scale."""
    make = code.function_named("get_inputs")
    if make is None or is_read(code, make):
        return []
    scales = options.calls_more_than_once(code.tree) and "scale" in loaded(make)
    values = fixed(make, [])
    return rewritten(code, make, {name: value for name, value in values.items() if not scales or name != "scale"})


def of_constructor(code: Source) -> list[Change]:
    """The constructor is called with what get_init_inputs returns."""
    model, constructor = code.class_named("Model"), code.method("Model", "__init__")
    initial = code.function_named("get_init_inputs")
    returned = returned_list(initial) if initial is not None and len(initial.body) == 1 else None
    known = initial is None or (returned is not None and not is_read(code, initial))
    if constructor is None or not known or is_read(code, model):
        return []
    given = returned.elts if returned else []
    if any(isinstance(element, ast.Starred) for element in given) or len(given) >= len(constructor.args.args):
        return []
    values = fixed(constructor, given)
    changes = rewritten(code, constructor, values)
    names = [argument.arg for argument in constructor.args.args[1:]]
    kept = [code.segment(element) for name, element in zip(names, given, strict=False) if name not in values]
    return changes + ([code.replacement(returned, f"[{', '.join(kept)}]")] if len(kept) < len(given) else [])


def is_read(code: Source, own: ast.ClassDef | ast.FunctionDef) -> bool:
    """Whether the program itself calls what the harness calls, or passes it on."""
    again = any(isinstance(node, ast.Call) and dotted(node.func) == own.name for node in ast.walk(own))
    return again or any(own.name in loaded(node) for node in code.tree.body if node is not own)


def fixed(function: ast.FunctionDef, given: list[ast.expr]) -> dict[str, ast.expr]:
    """The constants of the parameters that never change."""
    arguments = function.args
    others = [*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    if any(others) or function.decorator_list or loaded(function) & {"locals", "vars", "eval", "exec"}:
        return {}
    own = [argument.arg for argument in arguments.args]
    first = len(own) - len(arguments.defaults)
    names = own[1:] if function.name == "__init__" else own
    values = dict(zip(own[first:], arguments.defaults, strict=True)) | dict(zip(names, given, strict=False))
    again = set().union(*(bound(statement) for statement in function.body))
    return {name: value for name, value in values.items() if is_constant(value) and name not in again}


def is_constant(value: ast.expr) -> bool:
    """A constant or a negative number."""
    return isinstance(value.operand if isinstance(value, ast.UnaryOp) else value, ast.Constant)


def rewritten(code: Source, function: ast.FunctionDef, values: dict[str, ast.expr]) -> list[Change]:
    if not values:
        return []
    new = ast.unparse(Constants(values).visit(copy.deepcopy(function)))
    return [code.replacement(function, textwrap.indent(new, " " * function.col_offset).lstrip(" "))]


class Constants(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        self.generic_visit(node)
        first = len(node.args) - len(node.defaults)
        node.defaults = [d for n, d in enumerate(node.defaults, first) if node.args[n].arg not in self.values]
        node.args = [argument for argument in node.args if argument.arg not in self.values]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)
