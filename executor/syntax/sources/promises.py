"""What eager PyTorch promises for an operator: schemas, and signature and docstring of the public function."""

from __future__ import annotations

import ast
import functools
import os
import re
from typing import Any

from entries import described, documented
from source import docstring_of

SCHEMA = re.compile(r"^- func: ((\w+)(?:\.\w+)?\(.*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\{\w+\}")  # in a text that all operators share
SCHEMAS = "../torchgen/packaged/ATen/native/native_functions.yaml"
MOST_SCHEMAS = 4
DOCSTRINGS = ("_torch_docs.py", "_tensor_docs.py")
FUNCTIONAL = "nn/functional.py"
DOCSTRING_CAP = 1200
SIGNATURE_CAP = 400
SAMPLES = "testing/_internal/common_methods_invocations.py"
MAKER = "sample_inputs_func"
SAMPLE_CAP = 600


def promises(folder: str, operators: list[str]) -> dict[str, dict[str, Any]]:
    """By operator, as `aten.amax` or `aten.amax.default`; operators of which nothing is known are omitted."""
    found = {}
    for operator in operators:
        name = operator.split(".")[1] if "." in operator else operator
        signature, docstring = functional(folder).get(name, ("", ""))
        docstring = docstring or docstrings(folder).get(name, "")
        known = {
            "schemas": schemas(folder).get(name, [])[:MOST_SCHEMAS],
            "signature": signature,
            "docstring": shortened(docstring),
            "samples": samples(folder).get(name, ""),
        }
        if any(known.values()):
            found[operator] = known
    return found


@functools.lru_cache(maxsize=2)
def schemas(folder: str) -> dict[str, list[str]]:
    """The overloads of each operator; those that only write into `out` add nothing and are omitted."""
    found: dict[str, list[str]] = {}
    for whole, name in SCHEMA.findall(text_of(folder, SCHEMAS)):
        if "out(" not in whole.split("(")[0] + "(" and not whole.split("(")[0].endswith("out"):
            found.setdefault(name, []).append(f"aten::{whole.strip()}")
    return found


@functools.lru_cache(maxsize=2)
def docstrings(folder: str) -> dict[str, str]:
    """Docstrings of functions not written in Python, the function's before the method's."""
    found: dict[str, str] = {}
    for file in DOCSTRINGS:
        for statement in ast.parse(text_of(folder, file)).body:
            call = getattr(statement, "value", None)
            if subject := documented(call):
                text = constant_text(call.args[1])
                if text:
                    found.setdefault(subject.rpartition(".")[2], text)
    return found


@functools.lru_cache(maxsize=2)
def samples(folder: str) -> dict[str, str]:
    """For each operator, the beginning of the function that makes the inputs of PyTorch's own tests (OpInfo)."""
    text = text_of(folder, SAMPLES)
    tree = ast.parse(text)
    lines = text.splitlines()
    makers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: dict[str, str] = {}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        operator = described(call)
        maker = next((k.value.id for k in call.keywords if k.arg == MAKER and isinstance(k.value, ast.Name)), "")
        if operator and maker in makers:
            body = "\n".join(lines[makers[maker].lineno - 1 : makers[maker].end_lineno])
            found.setdefault(operator.rpartition(".")[2], body[:SAMPLE_CAP])
    return found


@functools.lru_cache(maxsize=2)
def functional(folder: str) -> dict[str, tuple[str, str]]:
    """Signature and docstring of `torch.nn.functional`'s functions."""
    found = {}
    for node in ast.parse(text_of(folder, FUNCTIONAL)).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            docstring = docstring_of(node)
            text = str(docstring.value.value) if isinstance(docstring, ast.Expr) else ""
            signature = f"torch.nn.functional.{node.name}({ast.unparse(node.args)})"
            found[node.name] = (signature[:SIGNATURE_CAP], text)
    return found


def constant_text(node: ast.AST) -> str:
    """The text of a string, including concatenated or formatted ones."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.BinOp):
        return constant_text(node.left) + constant_text(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return constant_text(node.func.value)
    return ""


def shortened(docstring: str) -> str:
    """The part before the examples."""
    text = re.split(r"\n\s*(?:Examples?:|Shape:|\.\. code-block|>>>)", docstring)[0]
    lines = [line.strip() for line in text.strip().splitlines()]
    text = "\n".join(line for line in lines if line and not PLACEHOLDER.fullmatch(line))
    return text if len(text) <= DOCSTRING_CAP else text[:DOCSTRING_CAP].rpartition("\n")[0] + "\n[cut]"


def text_of(folder: str, file: str) -> str:
    """Empty if this torch has no such file."""
    path = os.path.join(folder, file)
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8") as stream:
        return stream.read()
