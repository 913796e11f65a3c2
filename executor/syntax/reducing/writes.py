"""In-place writes, however the program spells them: a method or function whose name ends in an underscore, an argument
(`out=`, `inplace=True`), a module made in place, an assignment to part of a tensor."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from operands import ROOTS, computing
from reduction import SUBSET, Reduction
from source import Source, dotted, last_name, words

# These do not write values.
_OTHER = {"requires_grad_", "detach_", "share_memory_", "rename_", "swap_"}
_IN_PLACE = re.compile(r"\w*[^_]_")
# Methods and attributes that return the same memory.
_VIEWS = words(
    "as_strided data detach diagonal expand expand_as flatten imag mT movedim narrow permute real select squeeze "
    "swapaxes T t transpose unflatten unfold unsqueeze view view_as"
)


def plainer_writes(code: Source) -> Iterator[Reduction]:
    """What is written in place matters less than the write itself: replaced with one plain write, so that one cause has
    one text."""
    modules = modules_in_place(code)
    for function in computing(code):
        for node in ast.walk(function):
            written = written_by(node, modules)
            if written is not None and code.segment(node) != (plain := f"{code.segment(written)}.add_(1)"):
                what = f"{plain} for {code.segment(node)[:40]}"
                key = f"{code.start(node)}-{code.end(node)}"
                yield Reduction("write", SUBSET, key, what, [code.replacement(node, plain)])


def written_by(node: ast.AST, modules: set[str]) -> ast.expr | None:
    """The name that the node writes to, directly or through views of it."""
    if isinstance(node, ast.AugAssign):
        return base(node.target)
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        return base(target) if isinstance(target, ast.Subscript) else None
    return written_by_call(node, modules) if isinstance(node, ast.Call) else None


def written_by_call(call: ast.Call, modules: set[str]) -> ast.expr | None:
    first = call.args[0] if call.args else None
    for keyword in call.keywords:
        if keyword.arg == "out":
            value = keyword.value
            return base(value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value)
        if keyword.arg == "inplace" and is_true(keyword.value):
            return base(first)
    called = dotted(call.func)
    if called in modules:
        return base(first)
    if not any(_IN_PLACE.fullmatch(word) and word not in _OTHER for word in (last_name(call.func), *called.split("."))):
        return None
    owner = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return base(first if owner in ROOTS or owner.startswith("torch.") else getattr(call.func, "value", None))


def modules_in_place(code: Source) -> set[str]:
    """`self.act` if a constructor says `self.act = torch.nn.ReLU(inplace=True)`."""
    found = set()
    for node in ast.walk(code.tree):
        made = node.value if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
        if made is not None and any(k.arg == "inplace" and is_true(k.value) for k in made.keywords):
            found |= {dotted(target) for target in node.targets if dotted(target).startswith("self.")}
    return found


def base(node: ast.AST | None) -> ast.expr | None:
    """`x` of `x[0]`, `x.T` and `x.view(-1)`, `self.state` of `self.state[1:]`; None if that is not a tensor's name."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        if isinstance(node, ast.Attribute) and dotted(node.value) == "self":
            return node
        looks = node.func if isinstance(node, ast.Call) else node
        same_memory = isinstance(looks, ast.Subscript) or looks_on(last_name(looks))
        node = looks.value if same_memory and isinstance(looks, (ast.Subscript, ast.Attribute)) else None
    return node if isinstance(node, ast.Name) and node.id not in (*ROOTS, "self") else None


def looks_on(name: str) -> bool:
    return name in _VIEWS or _IN_PLACE.fullmatch(name) is not None


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
