"""The Python in a text that is not Python: an issue or a page in Markdown, a notebook, an interactive session."""

from __future__ import annotations

import ast
import json
import re

from names import bound, undefined
from source import parse

FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)")
PYTHON = {"", "python", "py", "python3", "pycon", "ipython", "ipython3"}
START = re.compile(r"(import|from) [\w.]+|class \w+.*:|def \w+\(|@\w+|#!|[\"']{3}")
MAGIC = re.compile(r"^(\s*)([%!?]|get_ipython\(\)\.|pip install |\w+ = !)")
MOST_CUTS = 400


def program_in(text: str) -> tuple[str, str]:
    """The program's text and where it was; ("", "") if there is none."""
    if (cells := notebook(text)) is not None:
        return cells, "the notebook's cells"
    blocks = [block for block in map(plain, fenced(text)) if is_program(block)]
    if blocks:
        return best(blocks), "a block of the text"
    cleaned = plain(text)
    if is_program(cleaned):
        return cleaned, "the text without prompts and magics"
    found = unfenced(cleaned)
    return (found, "the Python lines") if found else ("", "")


def notebook(text: str) -> str | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        cells = json.loads(text).get("cells")
    except (ValueError, AttributeError, RecursionError):
        return None
    if not isinstance(cells, list):
        return None
    code = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    return plain("\n\n".join("".join(part) if isinstance(part, list) else str(part) for part in code))


def fenced(text: str) -> list[str]:
    blocks: list[str] = []
    fence, lines, wanted = "", [], False
    for line in text.split("\n"):
        match = FENCE.match(line)
        if not fence and match:
            fence, wanted, lines = match[1], match[2].lower() in PYTHON, []
        elif fence and match and match[1].startswith(fence) and not match[2]:
            blocks += ["\n".join(lines)] if wanted else []
            fence = ""
        elif fence:
            lines.append(line)
    return [*blocks, "\n".join(lines)] if fence and wanted else blocks


def plain(text: str) -> str:
    """Without session prompts, notebook magics and common indentation."""
    lines = text.split("\n")
    if any(line.lstrip().startswith(">>> ") for line in lines):
        stripped = [line.lstrip() for line in lines]
        lines = [line[4:] for line in stripped if line.startswith((">>> ", "... ", "...", ">>>"))]
    lines = [MAGIC.sub(r"\1pass  # \2", line) if MAGIC.match(line) else line for line in lines]
    widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    common = min(widths, default=0)
    return "\n".join(line[common:] for line in lines) + "\n"


def parsed(text: str) -> ast.Module | None:
    try:
        return parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_like_python(text: str) -> bool:
    return "torch" in text and any(START.match(line.lstrip(" >.")) for line in text.split("\n"))


def is_program(text: str) -> bool:
    return "torch" in text and parsed(text) is not None


def best(blocks: list[str]) -> str:
    """The block that compiles something, with earlier blocks whose names it uses."""
    scores = [("compile" in b, "class " in b or "def " in b, len(b)) for b in blocks]
    at = scores.index(max(scores))
    text = blocks[at]
    for block in reversed(blocks[:at]):
        if bound(parse(block)) & set(undefined(parse(text))):
            text = block + "\n" + text
    for block in blocks[at + 1 :]:  # "and then I call it"
        if "compile" not in text and bound(parse(text)) & set(undefined(parse(block))):
            text += "\n" + block
    return text


def unfenced(text: str) -> str:
    """The text from the first line that can only be Python, without the prose after it. Only for a text that begins
    with prose: otherwise the faulty part of a program would be cut off."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if START.match(line)]
    if not any(line.strip() and not line.startswith("#") for line in lines[: starts[0] if starts else 0]):
        return ""
    for start in starts[:3]:
        for end in range(len(lines), max(start, len(lines) - MOST_CUTS), -1):
            if is_program(part := "\n".join(lines[start:end]) + "\n"):
                return part
    return ""
