"""Edits of OPTIONS: other ways to compile and call the same program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import options
from operators import Offer
from shapes import Values
from source import Source

# What makes Dynamo leave the graph, or might.
BREAKING = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp)
BREAKING_WORDS = (
    ".item(",
    "print",
    ".tolist(",
    "nonzero",
    "unique",
    "masked_select",
    ".numpy",
    "_dynamo",
    "int(",
    "float(",
    "bool(",
)
UNGRADED = (
    "detach",
    "no_grad",
    "requires_grad",
    "argmax",
    "numpy",
    "inference_mode",
    "func.",
    "autograd",
    "out=",
    "item",
)
TRAINABLE = ("Dropout", "dropout", "BatchNorm", "batch_norm")


def edits(code: Source, nodes: list[ast.AST], values: Values, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    present = options.read(code.tree)
    if present is None and options.statement(code.tree) is not None:
        return
    present = present or {}
    for name, addition in additions(code, nodes, inputs):
        if any(key in present for key in addition):
            continue
        line = f"OPTIONS = { ({**present, **addition})!r}"
        statement = options.statement(code.tree)
        at = len(code.data)
        change = code.replacement(statement, line) if statement else (at, at, f"\n\n{line}\n")
        yield "option", name, f"option {name}", [change]


def additions(code: Source, nodes: list[ast.AST], inputs: dict[str, ast.Call]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "dynamic", {"dynamic": True}
    get_inputs = code.function_named("get_inputs")
    if get_inputs is not None and any(argument.arg == "scale" for argument in get_inputs.args.args):
        yield "two sizes", {"dynamic": True, "calls": 2}
    yield "freezing", {"mode": "inductor_freezing"}
    if any(word in code.text for word in TRAINABLE):
        yield "train", {"train": True}
    if differentiable(code, nodes, inputs):
        yield "backward", {"backward": True, "grad": True}
    if not any(isinstance(node, BREAKING) for node in nodes[1:]) and not any(w in code.text for w in BREAKING_WORDS):
        yield "fullgraph", {"fullgraph": True}


def differentiable(code: Source, nodes: list[ast.AST], inputs: dict[str, ast.Call]) -> bool:
    """Every input is a plain random tensor, nothing is written in place, nothing cuts the graph on purpose."""
    forward = code.method("Model", "forward")
    if forward is None or not inputs or len(inputs) != len(forward.args.args) - 1:
        return False
    for node in nodes:
        written = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        in_place = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_")
        if written or in_place or isinstance(node, ast.AugAssign):
            return False
    return not any(word in code.text for word in UNGRADED) and "inplace=True" not in code.text
