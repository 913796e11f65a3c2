"""What torch documents about operators, for a model that is to say what is right: their schemas, and the docstrings of
those asked for and of what the program calls (docs/inspect.md).

Not for `parityd inspect`: `parityd fix` requests it and names the operators.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_OPERATORS = 6
MOST_SCHEMAS = 4
LONGEST = 1_600  # characters of a docstring
LONGEST_REFERENCE = 300  # past it a docstring says more than where to look

_SPACES = (
    *("torch.nn.functional", "torch", "torch.special", "torch.linalg", "torch.fft"),
    *("torch.Tensor",),  # last: most of its docstrings only name the function
)
_SAYING_NOTHING = ("__init__", "apply", "backward", "register_buffer", "size", "step", "zero_grad")
_EXAMPLES = re.compile(r"^\s*(Examples?\b.*:|>>> .*)$", re.MULTILINE)
_REFERENCE = re.compile(r"(?:version of|see|alias (?:of|for)) :\w+:`~?([\w.]+)`", re.IGNORECASE)
_FOR_SCRIPT = re.compile(r"\bt\[\]|\bGenerator\b|\(\w+ \w+(, \w+ \w+)?\) -> (int|float|complex|Scalar|str|bool)$")


def documented(subject: "Subject") -> None:
    asked = [_packet(name) for name in subject.message.get("arguments", {}).get("operators", [])]
    called = {name.rpartition(".")[2]: name for name in called_in(subject.message["program"])}
    told = []
    for name in dict.fromkeys([*asked, *called]):
        row = {"operator": name, "schemas": schemas(name), "text": docstring(called.get(name, name))}
        if row["text"] or (name in asked and row["schemas"]):
            told.append(row)
    subject.answer = json.dumps({"operators": told[:MOST_OPERATORS]})


def _packet(name: str) -> str:
    """ "amax" for "aten.amax.default"."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[0] in ("aten", "prims") else parts[0]


def called_in(text: str) -> list[str]:
    """What the program's model calls: "torch.nn.functional.pad", "index_add" of a method. Not what makes its inputs."""
    tree = ast.parse(text)
    imported = dict(_imported(tree))
    tree.body = [node for node in tree.body if getattr(node, "name", "") != "get_inputs"]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            first, _, rest = ast.unparse(node.func).partition(".")
            if imported.get(first, first).partition(".")[0] == "torch":
                found.append(f"{imported.get(first, first)}.{rest}".rstrip("."))
            elif isinstance(node.func, ast.Attribute) and node.func.attr not in _SAYING_NOTHING:
                found.append(node.func.attr)
    return found


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.asname, one.name) for one in node.names if one.asname)
        elif isinstance(node, ast.ImportFrom):
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def docstring(name: str) -> str:
    """Of a function or method of torch, without its examples; empty: it has none."""
    names = [name] if name.startswith("torch.") else [f"{space}.{name}" for space in _SPACES]
    for full in names:
        text = _text(full)
        reference = _REFERENCE.search(text[:LONGEST_REFERENCE])
        if reference:
            own = reference[1] if reference[1].startswith("torch.") else f"torch.{reference[1]}"
            text = _text(own) or text
        if text:
            return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"
    return ""


def _text(name: str) -> str:
    text = inspect.cleandoc(getattr(_found(name), "__doc__", None) or "")
    return re.sub(r"\n\s*\n+", "\n\n", text[: _end(text)]).strip()


def _end(text: str) -> int:
    examples = _EXAMPLES.search(text)
    return examples.start() if examples else len(text)


def _found(name: str) -> Any:
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found if callable(found) else None


def schemas(name: str) -> list[str]:
    """Of its overloads, without those that write to an `out` and those of TorchScript."""
    for space in (torch.ops.aten, torch.ops.prims):
        packet = getattr(space, name, None)
        if isinstance(packet, torch._ops.OpOverloadPacket):
            found = [(one, str(getattr(packet, one)._schema)) for one in packet.overloads()]
            told = [text for one, text in found if "out" not in one.split("_") and not _FOR_SCRIPT.search(text)]
            return told[:MOST_SCHEMAS]
    return []
