"""What a call passes to the parameters of a function of the script."""

from __future__ import annotations

import ast

from source import last_name


class NotUnderstood(ValueError):
    """A line that can be neither carried over nor left out."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")


def arguments_of(function: ast.FunctionDef, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """Each parameter with the expression that the call passes to it."""
    arguments = function.args
    names = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
    given: dict[str, ast.expr] = dict(
        zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    given |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    if len(plain) < len(call.args) and (len(plain) != len(call.args) - 1 or arguments.vararg is None):
        starred = next(a.value for a in call.args if isinstance(a, ast.Starred))
        elements = starred.elts if isinstance(starred, (ast.Tuple, ast.List)) else []
        if not elements:
            raise NotUnderstood(call.lineno, f"the arguments of {function.name} cannot be told apart")
        plain += elements
    given |= dict(zip(names, plain, strict=False))
    if arguments.vararg is not None:
        rest = call.args[len(names) :]
        if len(rest) == 1 and isinstance(rest[0], ast.Starred):
            given[arguments.vararg.arg] = rest[0].value
        else:
            given[arguments.vararg.arg] = ast.Tuple(list(rest), ast.Load())
    known = {*names, *(a.arg for a in arguments.kwonlyargs)}
    given |= {k.arg: k.value for k in call.keywords if k.arg in known}
    if arguments.kwarg is not None:
        rest = [k for k in call.keywords if k.arg not in known]
        pairs = [(ast.Constant(k.arg) if k.arg else None, k.value) for k in rest]
        given[arguments.kwarg.arg] = ast.Dict([key for key, _ in pairs], [value for _, value in pairs])
    return list(given.items())


def test_arguments(function: ast.FunctionDef) -> list[ast.keyword] | None:
    """What a test runner would pass: the first value of each parametrize; None if it is not known."""
    arguments = function.args
    required = [a.arg for a in arguments.args][: len(arguments.args) - len(arguments.defaults)]
    given: list[ast.keyword] = []
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize" and len(decorator.args) > 1:
            name, values = decorator.args[:2]
            if isinstance(name, ast.Constant) and isinstance(values, (ast.List, ast.Tuple)) and values.elts:
                names = [part.strip() for part in str(name.value).split(",")]
                first = values.elts[0]
                parts = first.elts if len(names) > 1 and isinstance(first, (ast.Tuple, ast.List)) else [first]
                given += [ast.keyword(n, value) for n, value in zip(names, parts, strict=False)]
    return given if set(required) <= {k.arg for k in given} else None
