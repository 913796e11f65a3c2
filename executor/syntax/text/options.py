"""The constant dict OPTIONS of a program: reading it, and writing defaults into it."""

from __future__ import annotations

import ast
import json
from typing import Any

from mode_table import CHOSEN, ROWS, misfit
from source import Source


def statement(tree: ast.Module) -> ast.Assign | ast.AnnAssign | None:
    """The last assignment to OPTIONS at module level."""
    found = None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        named = any(isinstance(target, ast.Name) and target.id == "OPTIONS" for target in targets)
        if named and isinstance(node, (ast.Assign, ast.AnnAssign)):
            found = node
    return found


def read(tree: ast.Module) -> dict[str, Any] | None:
    """OPTIONS as data; None if there is none or if it is not a constant dict that JSON can hold."""
    node = statement(tree)
    if node is None or node.value is None:
        return None
    try:
        value = ast.literal_eval(node.value)
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, SyntaxError):
        return None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return None
    return value


def calls_more_than_once(tree: ast.Module) -> bool:
    """Whether there is more than one call, as the worker counts calls; True if this cannot be determined."""
    found = read(tree)
    if found is None:
        return statement(tree) is not None
    mode = ROWS.get(str(found.get("mode", "inductor")))
    return found.get("calls") not in (None, 1) or (mode is not None and mode.calls > 1)


def merge(code: Source, defaults: dict[str, Any]) -> str:
    """The program with those defaults that it does not set itself and that suit it: a step has no `own_random`."""
    if not isinstance(defaults, dict):
        raise TypeError("options must be an object")
    stated = present(code) if defaults else {}
    kept: dict[str, Any] = {}
    for name, value in suiting_mode(defaults, stated, code).items():
        if not unsuited({**kept, name: value, **stated}, code):
            kept[name] = value
    return written(code, {**kept, **stated}) if kept else code.text


def suiting_mode(defaults: dict[str, Any], stated: dict[str, Any], code: Source) -> dict[str, Any]:
    """The defaults; without their mode and the options that it needs if the program states otherwise."""
    row = ROWS.get(str(defaults.get("mode")))
    if row is None:
        return defaults
    needs = {name: value for name, value in row.options.items() if not (code.is_step and name == "backward")}
    agrees = all(stated.get(name, value) == value for name, value in needs.items())
    if agrees and "mode" not in stated and not unsuited({**needs, "mode": row.name, **stated}, code):
        return defaults
    return {name: value for name, value in defaults.items() if name != "mode" and name not in row.options}


def unsuited(wanted: dict[str, Any], code: Source) -> str:
    """Which of these options are incompatible with the rest or with the program; empty if none."""
    mode = wanted.get("mode")
    return misfit(ROWS[mode if mode in CHOSEN else "inductor"], wanted, code.is_step)


def override(code: Source, wanted: dict[str, Any]) -> str:
    """The program with these options, whatever it set itself."""
    return written(code, {**present(code), **wanted})


def present(code: Source) -> dict[str, Any]:
    found = read(code.tree)
    if found is None and statement(code.tree) is not None:
        raise ValueError("OPTIONS is not a constant dict")
    return found or {}


def written(code: Source, wanted: dict[str, Any]) -> str:
    node = statement(code.tree)
    if wanted == present(code):
        return code.text
    line = f"OPTIONS = {wanted!r}"
    if node is not None:
        return code.changed([code.replacement(node, line)]).text
    return code.text.rstrip("\n") + f"\n\n\n{line}\n"
