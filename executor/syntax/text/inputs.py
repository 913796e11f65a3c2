"""The inputs of a program: forward's parameters, paired with what get_inputs returns for them."""

from __future__ import annotations

import ast
from typing import NamedTuple

from source import Change, Source


class Inputs(NamedTuple):
    forward: ast.FunctionDef
    returned: ast.List | ast.Tuple
    elements: dict[str, str]  # text of the input of each parameter, in order


def inputs_of(code: Source) -> Inputs | None:
    """None if the inputs are not a plain list with one element per parameter."""
    forward, make = code.method("Model", "forward"), code.function_named("get_inputs")
    if forward is None or make is None:
        return None
    arguments = forward.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or not arguments.args:
        return None
    returned = returned_list(make)
    names = [argument.arg for argument in arguments.args[1:]]
    if returned is None or any(isinstance(e, ast.Starred) for e in returned.elts):
        return None
    optional = len(arguments.defaults)
    if not len(names) - optional <= len(returned.elts) <= len(names):
        return None
    texts = [code.segment(element) for element in returned.elts]
    return Inputs(forward, returned, dict(zip(names, texts, strict=False)))


def returned_list(make: ast.FunctionDef) -> ast.List | ast.Tuple | None:
    returns = [node.value for node in ast.walk(make) if isinstance(node, ast.Return)]
    return returns[0] if len(returns) == 1 and isinstance(returns[0], (ast.List, ast.Tuple)) else None


def with_elements(code: Source, inputs: Inputs, elements: dict[str, str]) -> list[Change]:
    """Replaces all parameters and inputs with these. Annotations go; defaults of parameters that get no input stay with
    them."""
    arguments = inputs.forward.args.args
    first = len(arguments) - len(inputs.forward.args.defaults)
    defaults = {arguments[first + n].arg: d for n, d in enumerate(inputs.forward.args.defaults)}
    rest = [
        f"{argument.arg}={code.segment(defaults[argument.arg])}"
        for argument in arguments[1:]
        if argument.arg not in elements and argument.arg not in inputs.elements
    ]
    last = max([arguments[-1], *inputs.forward.args.defaults], key=code.end)
    signature = (code.start(arguments[0]), code.end(last), ", ".join([arguments[0].arg, *elements, *rest]))
    return [signature, code.replacement(inputs.returned, f"[{', '.join(elements.values())}]")]


def without_unused_parameters(code: Source) -> Source:
    """Removes parameters that forward never reads, with their inputs."""
    inputs = inputs_of(code)
    if inputs is None:
        return code
    read = {n.id for s in inputs.forward.body for n in ast.walk(s) if isinstance(n, ast.Name)}
    kept = {name: text for name, text in inputs.elements.items() if name in read}
    return code.changed(with_elements(code, inputs, kept)) if len(kept) < len(inputs.elements) else code
