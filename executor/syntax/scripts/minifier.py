"""Scripts written by PyTorch's minifier (repro.py): a graph as class Repro, its inputs as load_args(reader) or as a
list of shapes."""

from __future__ import annotations

import ast
from typing import Any

import options
import settled
from calling import NotUnderstood
from flow import Flow, Step
from source import Source, dotted
from wrapped import import_text

READER = """

def get_inputs():
    reader = Reader()
    load_args(reader)
    return reader.inputs
"""
LISTED = """

def get_inputs():
    {lines}
    return list(args)
"""
# Like the InputReader of torch._dynamo.repro without a folder of saved tensors: random numbers, and zeros for integers.
READER_CLASS = """

class Reader:
    def __init__(self):
        self.inputs = []

    def storage(self, storage_hash, nbytes, *, device=None, dtype_hint=None):
        return {"bytes": nbytes, "dtype": dtype_hint}

    def tensor(self, storage, shape, stride=None, *, storage_offset=0, dtype=torch.float32, requires_grad=False, **_):
        if "values" not in storage:
            made = storage["dtype"] or dtype
            drawn = torch.randn if made.is_floating_point or made.is_complex else torch.zeros
            storage["values"] = drawn(storage["bytes"] // made.itemsize, dtype=made).untyped_storage()
        stride = torch.empty(shape, device="meta").stride() if stride is None else stride
        value = torch.empty(0, dtype=dtype).set_(storage["values"], storage_offset, tuple(shape), tuple(stride))
        self.inputs.append(value.requires_grad_(requires_grad))
        return value

    def symint(self, value):
        self.inputs.append(value)
        return value

    def const(self, name):
        self.inputs.append(None)
"""


def is_repro(code: Source) -> bool:
    return code.class_named("Repro") is not None and (
        code.function_named("load_args") is not None or "make_fx" in code.text or "compile_fx" in code.text
    )


def convert(code: Source, done: list[str]) -> Source:
    """Raises NotUnderstood if the inputs are not available."""
    flow = Flow(code.tree)
    found = settled.Settings()
    for node in code.tree.body:
        if isinstance(node, (ast.Assign, ast.Expr)):
            settled.take(flow, found, Step(node, node.lineno), 0, True)
    loads = code.function_named("load_args")
    inputs = READER_CLASS + READER if loads is not None else listed(code)
    classes = [n for n in code.tree.body if isinstance(n, ast.ClassDef)]
    constants = [n for n in code.tree.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    constants = [n for n in constants if isinstance(n.value, ast.Constant) and n.value.value is not None]
    users = [*classes, loads] if loads is not None else [*classes, *arguments(code)]
    used = {n.id for user in users for n in ast.walk(user) if isinstance(n, ast.Name)}
    imports = [n for n in code.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    kept = [import_text(n, used) for n in imports if not wanted_away(n)]
    parts = [*dict.fromkeys(text for text in kept if text), *(ast.unparse(n) for n in constants)]
    parts += ["\n" + code.segment(c) for c in classes] + (["\n" + code.segment(loads)] if loads else [])
    text = "\n".join(parts).replace("class Repro(", "class Model(").replace("Repro()", "Model()") + "\n" + inputs
    given = {**found.options, **of_runner(code)}
    done.append("made Model and get_inputs of the minifier's Repro and its inputs")
    if given:
        done.append(f"OPTIONS from the script: {given}")
    return Source(options.merge(Source(text), given))


def wanted_away(node: ast.stmt) -> bool:
    """The minifier's own code, and names of torch.nn that hide ours."""
    if isinstance(node, ast.Import):
        return any(alias.name == "torch._inductor.overrides" for alias in node.names)  # from an older torch
    return (node.module or "").startswith(("torch._dynamo.debug_utils", "torch._dynamo.repro", "torch._inductor"))


def of_runner(code: Source) -> dict[str, Any]:
    """The arguments of run_repro."""
    for call in ast.walk(code.tree):
        if isinstance(call, ast.Call) and dotted(call.func).endswith("run_repro"):
            given = {k.arg: k.value for k in call.keywords}
            found: dict[str, Any] = {}
            if getattr(given.get("autocast"), "value", False) is True:
                found["autocast"] = True
            if not any(name in code.text for name in ("after_dynamo", "backend=")):
                found["graph"] = True
            if getattr(given.get("tracing_mode"), "value", "") == "symbolic":
                found["dynamic"] = True
            return found
    return {"graph": True} if "compile_fx_inner" in code.text else {}


def arguments(code: Source) -> list[ast.stmt]:
    return [n for n in code.tree.body if isinstance(n, ast.Assign) and dotted(n.targets[0]) == "args"]


def listed(code: Source) -> str:
    """The older form: `args = [((4,), (1,), torch.float32, 'cpu')]`, then `rand_strided` for each."""
    lines = [code.segment(node) for node in arguments(code)]
    if not lines:
        raise NotUnderstood(code.class_named("Repro").lineno, "Repro has no load_args and no list args")
    return LISTED.format(lines="\n    ".join(line.replace("\n", "\n    ") for line in lines))
