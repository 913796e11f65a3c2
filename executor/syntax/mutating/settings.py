"""Edits of OPTIONS: other ways to compile and call the same program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import options
from mode_table import ROWS, asked
from operators import Offer
from source import Source

# Constructs that make Dynamo leave the graph, or might.
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
MODES = [row for row in ROWS.values() if row.look == "chosen" and (row.settings or row.options or row.route)]
MODES += [row for row in ROWS.values() if row.functional]
TRAINABLE = ("Dropout", "dropout", "BatchNorm", "batch_norm")


def edits(code: Source, nodes: list[ast.AST]) -> Iterator[Offer]:
    present = options.read(code.tree)
    if present is None and options.statement(code.tree) is not None:
        return
    present = present or {}
    for name, addition in additions(code, nodes):
        options_then = {**present, **addition}
        same = all(present.get(key) == value for key, value in addition.items())
        if same or options.unsuited(options_then, code):
            continue
        line = f"OPTIONS = {options_then!r}"
        statement = options.statement(code.tree)
        at = len(code.data)
        change = code.replacement(statement, line) if statement else (at, at, f"\n\n{line}\n")
        yield "option", f"option {name}", [change]


def additions(code: Source, nodes: list[ast.AST]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "dynamic", {"dynamic": True}
    get_inputs = code.function_named("get_inputs")
    if get_inputs is not None and any(argument.arg == "scale" for argument in get_inputs.args.args):
        yield "two sizes", {"dynamic": True, "calls": 2}
    if get_inputs is not None and _first_has_sizes(get_inputs):
        yield "unbacked sizes", {"mark_unbacked": [[0, 0]]}
    for mode in MODES:
        yield mode.name.removeprefix("inductor_"), asked(mode)
    if any(word in code.text for word in TRAINABLE):
        yield "train", {"train": True}
    yield "backward", {"backward": True, "grad": True}
    if not any(isinstance(node, BREAKING) for node in nodes[1:]) and not any(w in code.text for w in BREAKING_WORDS):
        yield "fullgraph", {"fullgraph": True}


def _first_has_sizes(get_inputs: ast.FunctionDef) -> bool:
    """Whether the first input is written as a tensor that has dimensions."""
    returned = [node.value for node in get_inputs.body if isinstance(node, ast.Return)]
    if not returned or not isinstance(returned[-1], (ast.List, ast.Tuple)) or not returned[-1].elts:
        return False
    first = ast.unparse(returned[-1].elts[0])
    return "torch." in first and "()" not in first and "dict" not in first and "[" not in first.split("torch.")[0]
