"""Which names draw random numbers, and whether a program's forward calls any of them."""

from __future__ import annotations

import ast

from source import FUNCTIONS, Source

WORDS = (
    *("rand", "dropout", "bernoulli", "multinomial", "normal", "poisson", "rrelu", "Dropout", "RReLU", "gumbel"),
    *("uniform_", "exponential_", "cauchy_", "geometric_"),
)
LATER = ("dropout", "Dropout", "RReLU")  # if a constructor names one, it makes a module that draws when called
BEFORE = ("get_inputs", "get_init_inputs")  # their draws are passed to eager and compiled alike


def is_drawing(name: str) -> bool:
    return any(word in name for word in WORDS) and "normaliz" not in name


def draws(code: Source) -> bool:
    """Judged by names only: a program may seem to draw without doing so. False for a step, whose draws cannot be
    repeated from the start."""
    if code.is_step:
        return False
    return any(_draws_in(node, False) for node in code.tree.body)


def _draws_in(node: ast.AST, constructing: bool) -> bool:
    if isinstance(node, FUNCTIONS):
        if node.name in BEFORE:
            return False
        constructing = node.name == "__init__"
    if any(_named(name, constructing) for name in _names(node)):
        return True
    return any(_draws_in(child, constructing) for child in ast.iter_child_nodes(node))


def _names(node: ast.AST) -> list[str]:
    """Names of the called function and its keyword arguments: MultiheadAttention(…, dropout=0.1)."""
    if not isinstance(node, ast.Call):
        return []
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return [called, *(keyword.arg or "" for keyword in node.keywords)]


def _named(name: str, constructing: bool) -> bool:
    return any(word in name for word in LATER) if constructing else is_drawing(name)
