"""What is wrong with a program's OPTIONS. The names of the compiler's own settings are left to the worker: they differ
between versions of torch."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from typing import Any

import options
from option_table import CHOICES, FLAG, MOST, RULES

ALIASES = {
    "training": "train",
    "requires_grad": "grad",
    "gradients": "backward",
    "config": "inductor_config",
    "options": "inductor_config",
    "amp": "autocast",
    "dtype": "default_dtype",
    "full_graph": "fullgraph",
    "repeat": "calls",
    "num_threads": "threads",
    "random": "own_random",
    "compile_mode": "mode",
}


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, if any is close."""
    plain = {name.replace("-", "_").lower(): name for name in known}
    word = word.replace("-", "_").lower()
    inside = [name for text, name in plain.items() if len(word) > 3 and (text.endswith(word) or word.endswith(text))]
    close = inside or [plain[text] for text in difflib.get_close_matches(word, list(plain), 1, 0.6)]
    return close[0] if close else ""


def problem(tree: ast.Module) -> str:
    """Everything that is wrong with a program's OPTIONS, in words; empty if nothing is."""
    node = options.statement(tree)
    if node is None:
        return ""
    found = options.read(tree)
    if found is None:
        return f"line {node.lineno}: OPTIONS is not a constant dict of names and plain values"
    return "; ".join(text for name, value in found.items() if (text := wrong_entry(name, value)))


def wrong_entry(name: str, value: Any) -> str:
    shown = f"OPTIONS[{name!r}] = {value!r}"
    shown = shown if len(shown) < 120 else shown[:117] + "..."
    if name not in RULES:
        meant = ALIASES.get(name.lower()) or nearest(name, RULES)
        return f"{shown}: there is no such option" + (f"; did you mean {meant!r}?" if meant else f"; {known()}")
    rule = RULES[name]
    if value is None or (isinstance(value, (str, int, float, list, dict, tuple)) and rule.fits(value)):
        return ""
    meant = better(name, value)
    return f"{shown}: must be {rule.wanted}" + (f"; did you mean {meant}?" if meant else "")


def known() -> str:
    return "there are " + ", ".join(RULES)


def better(name: str, value: Any) -> str:
    """The nearest valid value, as it would be written."""
    if not isinstance(value, str):
        flag = RULES[name] is FLAG and value in (0, 1)
        return repr(bool(value)) if flag else ""
    word = value.removeprefix("torch.")
    if name in MOST and word.isdecimal():
        return str(min(max(int(word), 1), MOST[name]))
    if RULES[name] is FLAG and word.lower() in ("true", "false", "yes", "no", "on", "off"):
        return repr(word.lower() in ("true", "yes", "on"))
    choices = CHOICES.get(name, ())
    short = {"half": "float16", "float": "float32", "double": "float64", "bf16": "bfloat16", "fp16": "float16"}
    meant = short.get(word, "") if short.get(word) in choices else nearest(word, choices)
    return repr(meant) if meant else ""


def changes(tree: ast.Module) -> list[ast.AST]:
    """Module-level statements that change OPTIONS after its assignment."""
    found = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for part in ast.walk(node):
            target = part.value if isinstance(part, (ast.Subscript, ast.Attribute)) else None
            stored = isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load)
            called = isinstance(part, ast.Attribute) and part.attr in ("update", "setdefault", "pop", "clear")
            if isinstance(target, ast.Name) and target.id == "OPTIONS" and (stored or called):
                found.append(part)
    return found
