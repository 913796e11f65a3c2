"""The part of a function that makes the compiler behave: its text without comments, docstrings, annotations and layout.

A syntax tree would do as well, but each version of Python prints trees differently, and two torches may use different
Pythons.
"""

from __future__ import annotations

import ast
import hashlib
import re

from source import FUNCTIONS, Source, docstring_of

TRIPLE = r"""\"{3}.*?(?<!\\)\"{3}|'{3}.*?(?<!\\)'{3}"""
SINGLE = r"""\"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
STRING = f"(?P<string>[rbfuRBFU]{{0,2}}(?:{TRIPLE}|{SINGLE}))"
COMMENTS = re.compile(STRING + r"|\#[^\n]*", re.DOTALL)
# A space matters only between two words; a comma before a closing bracket never does.
LAYOUT = re.compile(STRING + r"|,\s*(?=[)\]}])|(?<=\w)(?P<space>\s+)(?=\w)|\s+", re.DOTALL)


def essence(code: Source, node: ast.AST) -> str:
    """Its hash."""
    begin = code.start(node)
    text, at = bytearray(), begin
    for start, end in sorted(silent(code, node)):
        if start >= at:
            text += code.data[at:start]
            at = end
    text += code.data[at : code.end(node)]
    plain = LAYOUT.sub(kept, COMMENTS.sub(kept, text.decode("utf-8")))
    return hashlib.blake2b(plain.encode("utf-8"), digest_size=16).hexdigest()


def kept(match: re.Match[str]) -> str:
    said = match.groupdict()
    return said["string"] or (" " if said.get("space") else "")


def silent(code: Source, node: ast.AST) -> list[tuple[int, int]]:
    """Byte ranges that do not affect behaviour: docstrings and annotations."""
    spans = []
    for each in ast.walk(node):
        if isinstance(each, (ast.ClassDef, *FUNCTIONS)):
            if (docstring := docstring_of(each)) is not None:
                spans.append((code.start(docstring), code.end(docstring)))
            if (returns := getattr(each, "returns", None)) is not None:
                arrow = code.data.rfind(b"->", 0, code.start(returns))
                spans.append((arrow, code.end(returns)))
        elif isinstance(each, ast.arg) and each.annotation is not None:
            name_end = code.line_starts[each.lineno - 1] + each.col_offset + len(each.arg.encode("utf-8"))
            spans.append((name_end, code.end(each.annotation)))
        elif isinstance(each, ast.AnnAssign) and each.value is not None:
            spans.append((code.end(each.target), code.end(each.annotation)))
    return spans
