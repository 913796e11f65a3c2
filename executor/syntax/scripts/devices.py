"""Programs name no device: mentions of CUDA are removed; the caller moves model and inputs."""

from __future__ import annotations

import ast

from source import Change, Source, dotted


def forget_devices(code: Source, done: list[str]) -> Source:
    """Removes `.cuda()`, `.to("cuda")`, `device="cuda"`, also through a module constant. To be called until nothing
    changes."""
    constants = device_constants(code.tree)
    changes: list[Change] = []
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Call):
            changes += call_changes(code, node, constants, done)
    return code.changed(changes) if changes else code


def device_constants(tree: ast.Module) -> set[str]:
    """Names bound once, at module level, to an expression that names CUDA."""
    names: set[str] = set()
    for node in tree.body:
        # A dict that mentions CUDA somewhere (OPTIONS, a table) is not a device.
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Dict) and mentions_cuda(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def mentions_cuda(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Constant) and isinstance(n.value, str) and is_device(n.value) for n in ast.walk(node))


def is_device(text: str) -> bool:
    return text == "cuda" or text.startswith("cuda:")


def names_device(node: ast.AST, constants: set[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and is_device(node.value)
    if isinstance(node, ast.Name):
        return node.id in constants
    return isinstance(node, ast.Call) and dotted(node.func) == "torch.device" and mentions_cuda(node)


def call_changes(code: Source, call: ast.Call, constants: set[str], done: list[str]) -> list[Change]:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "cuda" and dotted(call.func) != "torch.cuda":
        done.append("removed .cuda()")
        return [(code.end(call.func.value), code.end(call), "")]
    keyword = next((k for k in call.keywords if k.arg == "device" and names_device(k.value, constants)), None)
    positional = method == "to" and bool(call.args) and names_device(call.args[0], constants)
    if keyword is None and not positional:
        return []
    argument: ast.AST = call.args[0] if positional else keyword
    done.append(f"removed {code.segment(argument)}")
    if method == "to" and len(call.args) + len(call.keywords) == 1:
        return [(code.end(call.func.value), code.end(call), "")]
    return [without_argument(code, call, argument)]


def without_argument(code: Source, call: ast.Call, argument: ast.AST) -> Change:
    """The argument and the comma that belongs to it."""
    arguments = sorted([*call.args, *call.keywords], key=code.start)
    at = arguments.index(argument)
    if at + 1 < len(arguments):
        return (code.start(argument), code.start(arguments[at + 1]), "")
    if at > 0:
        return (code.end(arguments[at - 1]), code.end(argument), "")
    return code.replacement(argument, "")
