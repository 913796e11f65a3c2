"""How the compiler learns of a function: decorators and calls that register it, and for which operators."""

from __future__ import annotations

import ast
import re

from source import dotted, last_name

REGISTERS = re.compile(r"^_?(register|make_|add_layout_constraint|py_impl|impl$|_?register_)|_register|^pass_dict")
NAMESPACES = ("aten", "prims", "inductor_prims", "quantized", "mkldnn", "c10d_functional", "_c10d_functional")
NAME_CAP = 160


def is_registration(call: ast.AST) -> bool:
    """A call of a function whose name says that it registers: `register_lowering(…)`, also
    `register_lowering(…)(f)`."""
    while isinstance(call, ast.Call):
        if REGISTERS.search(last_name(call.func)):
            return True
        call = call.func
    return False


def registers(decorator: ast.AST) -> bool:
    """A decorator may be the bare name or a call of it."""
    return is_registration(decorator) or bool(REGISTERS.search(last_name(decorator)))


def by_call(tree: ast.Module, names: set[str]) -> dict[str, list[str]]:
    """Functions of a module that are registered by a call anywhere in it, with the text of these calls."""
    found: dict[str, list[str]] = {}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not is_registration(call):
            continue
        said = ""
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(value, ast.Name) and value.id in names:
                said = said or told(call)
                found.setdefault(value.id, []).append(said)
    return found


def told(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= NAME_CAP else text[: NAME_CAP - 1] + "…"


def operators_in(nodes: list[ast.AST]) -> list[str]:
    """The operators that registrations name (`aten.add`, `aten.add.Tensor`), in order."""
    found: dict[str, None] = {}
    for root in nodes:
        for node in ast.walk(root):
            name = dotted(node) if isinstance(node, ast.Attribute) else ""
            name = name.removeprefix("torch.ops.").removeprefix("torch._ops.ops.")
            if name.split(".")[0] in NAMESPACES and not any(known.startswith(name + ".") for known in found):
                found[name] = None
    return [name for name in found if "." in name]
