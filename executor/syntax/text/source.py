"""A program's text together with its tree: edits are byte ranges, so they preserve comments and formatting."""

from __future__ import annotations

import ast
import bisect
import warnings
from collections.abc import Iterator

Change = tuple[int, int, str]
"""Start and end as byte offsets of the text, and what to put there."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def compatible(one: Change, other: Change) -> bool:
    if one[:2] == other[:2]:
        return False  # two insertions at one place have no order
    return one[1] <= other[0] or other[1] <= one[0]


def fits(change: Change, taken: list[Change]) -> bool:
    at = bisect.bisect_left(taken, change)
    return all(compatible(change, other) for other in taken[max(at - 1, 0) : at + 1])


def words(text: str) -> set[str]:
    return set(text.split())


def clean(program: str) -> str:
    """One kind of newline, no byte-order mark, a newline at the end."""
    text = program.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def parse(text: str) -> ast.Module:
    if "\0" in text:
        raise SyntaxError("the program contains a NUL byte")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def dotted(node: ast.AST) -> str:
    """`torch.nn.functional.pad` for a chain of names; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.AST) -> str:
    """The called name: `pad` for `F.pad` and for `x.y().pad`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def docstring_of(node: ast.AST) -> ast.stmt | None:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return None
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def is_base_call(node: ast.AST) -> bool:
    """Whether it is `super().__init__()`, as a statement or an expression."""
    call = node.value if isinstance(node, ast.Expr) else node
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def identity_text(text: str) -> str:
    """What makes two programs the same: the tree without positions, docstrings and string prefixes."""
    tree = parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and docstring_of(node) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
        elif isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


class Source:
    """Parsed text. Raises SyntaxError if it does not parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = parse(text)
        self.data = text.encode("utf-8")
        self.line_starts = [0]
        for line in self.data.split(b"\n"):
            self.line_starts.append(self.line_starts[-1] + len(line) + 1)

    # ---- positions

    def start(self, node: ast.AST) -> int:
        line, column = node.lineno, node.col_offset
        for decorator in getattr(node, "decorator_list", []):
            line = min(line, decorator.lineno)
        return self.line_starts[line - 1] + column

    def end(self, node: ast.AST) -> int:
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode("utf-8")

    # ---- the parts of the contract

    def class_named(self, name: str) -> ast.ClassDef | None:
        return next((n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name == name), None)

    @property
    def is_step(self) -> bool:
        """Whether the program is a training step: it defines step(model, inputs, state)."""
        return self.function_named("step") is not None

    def function_named(self, name: str) -> ast.FunctionDef | None:
        return next((n for n in self.tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)

    def method(self, class_name: str, name: str) -> ast.FunctionDef | None:
        owner = self.class_named(class_name)
        body = owner.body if owner else []
        return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)

    # ---- edits

    def changed(self, changes: list[Change]) -> Source:
        """The program after the changes; of two that overlap the first in the list wins."""
        return self.changed_together([[change] for change in changes])

    def changed_together(self, groups: list[list[Change]]) -> Source:
        """Like changed(), for changes that only make sense together: a group is applied entirely or not at all."""
        taken: list[Change] = []  # sorted and disjoint, so only neighbours can overlap
        for group in groups:
            if all(fits(change, taken) for change in group):
                for change in group:
                    bisect.insort(taken, change)
        data = self.data
        pieces = []
        at = 0
        for begin, end, text in taken:
            pieces += [data[at:begin], text.encode("utf-8")]
            at = end
        data = b"".join(pieces) + data[at:]
        return Source(data.decode("utf-8"))

    def replacement(self, node: ast.AST, text: str) -> Change:
        return (self.start(node), self.end(node), text)

    def removals(self, going: list[ast.stmt], body: list[ast.stmt]) -> list[Change]:
        """Takes statements out of their body; a body that would become empty, or a shared line, gets a `pass`."""
        changes = []
        for statement in going:
            begin, end = self.start(statement), self.end(statement)
            line_begin = self.data.rfind(b"\n", 0, begin) + 1
            line_end = self.data.find(b"\n", end)
            line_end = len(self.data) if line_end < 0 else line_end + 1
            rest = self.data[end:line_end].strip()
            alone = not self.data[line_begin:begin].strip() and (not rest or rest.startswith(b"#"))
            emptied = len(going) == len(body) and statement is going[0]
            changes.append((line_begin, line_end, "") if alone and not emptied else (begin, end, "pass"))
        return changes


def bodies(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """Every list of statements, with the node that owns it."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield node, body
