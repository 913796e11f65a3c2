"""Edits within a class of operators: replace a pointwise function, reduction, activation or comparison with another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from families import SIBLINGS
from shapes import FUNCTION_ROOTS, Values
from source import Change, Source, dotted, words

Offer = tuple[str, str, list[Change]]
"""Kind, description, changes."""

BOUNDED = ("sin", "cos", "tanh", "sigmoid", "atan", "erf", "asinh")
GROWING = ("exp", "expm1", "sinh", "cosh")
ROUNDING = ("floor", "ceil", "round", "trunc")
UNARY_CLASSES = (BOUNDED, GROWING, ROUNDING, ("abs", "square", "neg"), ("sqrt", "rsqrt"), ("log", "log1p"))
ACTIVATIONS = (
    "relu",
    "gelu",
    "silu",
    "elu",
    "softplus",
    "mish",
    "hardswish",
    "selu",
    "leaky_relu",
    "hardtanh",
    "softsign",
)
MODULE_ACTIVATIONS = (
    "ReLU",
    "GELU",
    "SiLU",
    "ELU",
    "Softplus",
    "Mish",
    "Hardswish",
    "SELU",
    "LeakyReLU",
    "Tanh",
    "Sigmoid",
)
REDUCTIONS = ("sum", "mean", "amax", "amin")
BINARY_CALLS = (("maximum", "minimum"), ("add", "sub", "mul"), ("fmax", "fmin"))
BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
COMPARISONS: dict[type[ast.cmpop], str] = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
UNFIT = {"empty_like", "rand_like", "randn_like"}  # different numbers each time
FLOATS = ("0.0", "1.0", "-0.5", "1e-6", "3.5", "100.0", "1e-3")
INTEGERS = ("0", "1", "2", "3", "-1")
# Complex numbers have neither order nor rounding; these words suggest that a program holds some.
COMPLEX_WORDS = ("complex", "fft", "stft", "polar", ".conj", ".mH", "eig", "1j", "2j", ".imag")
COMPLEX_SAFE = words("sin cos tanh sigmoid atan exp expm1 sinh cosh square neg sum mean add sub mul")


def edits(code: Source, nodes: list[ast.AST], values: Values) -> Iterator[Offer]:
    complex_values = any(word in code.text for word in COMPLEX_WORDS)
    for node in nodes:
        for kind, old, new, change in of_node(code, node, values):
            if not complex_values or kind == "constant" or new in COMPLEX_SAFE or new in BINARY.values():
                yield kind, f"{old} → {new} at line {getattr(node, 'lineno', 0)}", [change]
    yield from module_activations(code)


def of_node(code: Source, node: ast.AST, values: Values) -> Iterator[tuple[str, str, str, Change]]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for new in dict.fromkeys([*call_alternatives(node, node.func, values), *siblings(node.func.attr)]):
            yield "operator", node.func.attr, new, (code.end(node.func) - len(node.func.attr), code.end(node.func), new)
    elif isinstance(node, ast.BinOp) and values.kind(node) == "float":
        yield from of_binary(code, node, values)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and values.kind(node.left) == "float":
        sign = COMPARISONS.get(type(node.ops[0]))
        if sign is not None:
            yield from between(code, node.left, node.comparators[0], sign, tuple(COMPARISONS.values()))


def siblings(name: str) -> Iterator[str]:
    for family in SIBLINGS:
        if name in family:
            yield from (other for other in family if other != name and other not in UNFIT)


def call_alternatives(call: ast.Call, function: ast.Attribute, values: Values) -> Iterator[str]:
    name, plain = function.attr, dotted(function.value) in FUNCTION_ROOTS
    operand = (call.args[0] if call.args else None) if plain else function.value
    if operand is None:
        return
    alone = len(call.args) == (1 if plain else 0) and not call.keywords
    family = dotted(function.value).split(".")[-1] if plain else ""
    floating = values.kind(operand) == "float"
    if alone and family in ("torch", "") and floating:
        for members in UNARY_CLASSES:
            yield from (m for m in members if name in members and m != name)
    if alone and family in ("F", "functional") and name in ACTIVATIONS:
        yield from (a for a in ACTIVATIONS if a != name and floating)
    untyped = not any(keyword.arg == "dtype" for keyword in call.keywords)
    if name in REDUCTIONS and floating and family in ("torch", "") and untyped and not alone:
        yield from (r for r in REDUCTIONS if r != name)
    pair = plain and family == "torch" and len(call.args) == 2 and not call.keywords
    if pair and floating and values.kind(call.args[1]) == "float":
        for members in BINARY_CALLS:
            yield from (m for m in members if name in members and m != name)


def of_binary(code: Source, node: ast.BinOp, values: Values) -> Iterator[tuple[str, str, str, Change]]:
    if type(node.op) in BINARY:
        yield from between(code, node.left, node.right, BINARY[type(node.op)], tuple(BINARY.values()))
    number = node.right
    if isinstance(number, ast.Constant) and values.kind(node.left) == "float" and type(number.value) in (int, float):
        safe = isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)) or (isinstance(node.op, ast.Div) and number.value)
        choices = FLOATS if isinstance(number.value, float) else INTEGERS
        for new in choices:
            if safe and float(new) != number.value and (float(new) != 0 or not isinstance(node.op, ast.Div)):
                yield "constant", code.segment(number), new, code.replacement(number, wrapped(new))


def wrapped(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def between(
    code: Source, left: ast.expr, right: ast.expr, old: str, family: tuple[str, ...]
) -> Iterator[tuple[str, str, str, Change]]:
    """The operator sign between two operands, if there is nothing else (a parenthesis, a comment) between them."""
    gap = code.data[code.end(left) : code.start(right)].decode("utf-8")
    if gap.strip() != old:
        return
    at = code.end(left) + gap.index(old)
    for new in family:
        # A sign with another precedence would regroup its neighbours.
        if new != old and not (("*" in (old, new)) and (compound(left) or compound(right))):
            yield "operator", old, new, (at, at + len(old), new)


def compound(node: ast.expr) -> bool:
    return isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp))


def module_activations(code: Source) -> Iterator[Offer]:
    """`nn.ReLU()` and the like, wherever modules are made."""
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args or node.keywords:
            continue
        if node.func.attr in MODULE_ACTIVATIONS and dotted(node.func.value) in ("nn", "torch.nn"):
            end = code.end(node.func)
            for new in MODULE_ACTIVATIONS:
                if new != node.func.attr:
                    change = (end - len(node.func.attr), end, new)
                    yield "operator", f"nn.{node.func.attr} → nn.{new} at line {node.lineno}", [change]
