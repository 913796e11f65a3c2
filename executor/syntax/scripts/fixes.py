"""Free fixes: problems in a program that can be repaired without asking a model. Each describes in words what it
did."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import devices
import programs
import script
import toplevel
from names import KNOWN_IMPORTS, undefined
from source import Source, docstring_of, dotted, last_name, words

ROUNDS = 20
INPUT_NAMES = ("get_input", "make_inputs", "get_example_inputs", "example_inputs", "create_inputs", "inputs")


def fix(code: Source, done: list[str]) -> Source:
    """Lays a script out, then applies every fix until nothing changes. Raises NotUnderstood for a script it cannot
    convert."""
    return fixed(programs.laid_out(code, done, fixed), done)


def fixed(code: Source, done: list[str]) -> Source:
    for step in STEPS:
        for _ in range(ROUNDS):
            changed = step(code, done)
            if changed is code:
                break
            code = changed
    return code


def add_imports(code: Source, done: list[str]) -> Source:
    lines = [KNOWN_IMPORTS[name] for name in undefined(code.tree) if name in KNOWN_IMPORTS]
    if not lines:
        return code
    done += [f"added {line}" for line in lines]
    return code.changed([(import_position(code), import_position(code), "\n".join(lines) + "\n")])


def import_position(code: Source) -> int:
    """After the docstring and the imports from __future__, which must stay first."""
    position = 0
    for node in code.tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and node is not docstring_of(code.tree):
            break
        line_end = code.data.find(b"\n", code.end(node))
        position = len(code.data) if line_end < 0 else line_end + 1
    return position


def is_module(node: ast.ClassDef) -> bool:
    return any(last_name(base) == "Module" for base in node.bases)


def name_model(code: Source, done: list[str]) -> Source:
    """Renames the only module class that no other class uses to Model."""
    if code.class_named("Model") is not None or any(n == "Model" for n in toplevel.module_names(code.tree)):
        return code
    classes = [node for node in code.tree.body if isinstance(node, ast.ClassDef)]
    used = {n.id for c in classes for n in ast.walk(c) if isinstance(n, ast.Name) and n.id != c.name}
    candidates = [c for c in classes if is_module(c) and c.name not in used]
    if len(candidates) != 1:
        return code
    model = candidates[0]
    changes = [
        code.replacement(n, "Model") for n in ast.walk(code.tree) if isinstance(n, ast.Name) and n.id == model.name
    ]
    begin = code.line_starts[model.lineno - 1] + model.col_offset
    match = re.compile(rb"class\s+" + re.escape(model.name.encode())).match(code.data, begin)
    if match is None:
        return code
    changes.append((match.end() - len(model.name.encode()), match.end(), "Model"))
    done.append(f"renamed {model.name} to Model")
    return code.changed(changes)


def call_super(code: Source, done: list[str]) -> Source:
    """A module's __init__ must call its base class's."""
    for owner in code.tree.body:
        if not isinstance(owner, ast.ClassDef) or not is_module(owner):
            continue
        init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if init is None or any(isinstance(n, ast.Attribute) and n.attr == "__init__" for n in ast.walk(init)):
            continue
        first = init.body[1] if docstring_of(init) is not None and len(init.body) > 1 else init.body[0]
        if first.lineno == init.lineno:
            continue
        at = code.start(first)
        done.append(f"added super().__init__() to {owner.name}")
        return code.changed([(at, at, "super().__init__()\n" + " " * first.col_offset)])
    return code


def wrong_super(code: Source, done: list[str]) -> Source:
    """`super(Other, self)` inside a class that is not Other."""
    changes = []
    for owner in code.tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for call in ast.walk(owner):
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "super"
            if named and len(call.args) == 2 and dotted(call.args[0]) not in (owner.name, "__class__", ""):
                changes.append(code.replacement(call, "super()"))
                done.append("corrected super()")
    return code.changed(changes) if changes else code


def name_inputs(code: Source, done: list[str]) -> Source:
    """get_inputs under another name."""
    if "get_inputs" in toplevel.module_names(code.tree):
        return code
    for name in INPUT_NAMES:
        function = code.function_named(name)
        if function is not None and len(function.args.args) == len(function.args.defaults):
            done.append(f"added get_inputs around {name}")
            return Source(code.text.rstrip("\n") + f"\n\n\ndef get_inputs():\n    return list({name}())\n")
    return code


def input_lists(code: Source) -> list[ast.List | ast.Tuple]:
    function = code.function_named("get_inputs")
    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)] if function else []
    return [value for value in returns if isinstance(value, (ast.List, ast.Tuple))] if len(returns) == 1 else []


def cut_inputs(code: Source, done: list[str]) -> Source:
    """More inputs than forward takes: the last ones go if both counts are certain. A step takes all of them."""
    forward = code.method("Model", "forward")
    if forward is None or forward.args.vararg is not None or forward.decorator_list or code.is_step:
        return code
    arity = len(forward.args.posonlyargs) + len(forward.args.args) - 1
    for value in input_lists(code):
        elements = value.elts
        if len(elements) <= arity or arity < 1 or any(isinstance(e, ast.Starred) for e in elements):
            continue
        done.append(f"removed {len(elements) - arity} extra inputs")
        return code.changed([(code.end(elements[arity - 1]), code.end(elements[-1]), "," if arity == 1 else "")])
    return code


def list_single_input(code: Source, done: list[str]) -> Source:
    """`return torch.randn(…)` in get_inputs: one tensor is not a list of arguments."""
    function = code.function_named("get_inputs")
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and dotted(node.value.func) in FACTORIES:
            done.append("made get_inputs return a list")
            return code.changed([code.replacement(node.value, f"[{code.segment(node.value)}]")])
    return code


FACTORIES = {f"torch.{name}" for name in words("randn rand randint zeros ones full arange linspace tensor empty eye")}

STEPS: tuple[Callable[[Source, list[str]], Source], ...] = (
    name_model,
    wrong_super,
    call_super,
    devices.forget_devices,
    name_inputs,
    script.functions_of,
    toplevel.remove_statements,
    list_single_input,
    cut_inputs,
    add_imports,
)
