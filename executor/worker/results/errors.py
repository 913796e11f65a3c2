"""An exception as an error report: its classes, where torch's compiler raised it, and where the program was."""

import ast
import os
import re
import types
from collections.abc import Iterator
from typing import Any

import liveness
import raised_at
import torch
import worker_path

MESSAGE_CAP = 8 << 10
TRACEBACK_CAP = 12 << 10
MOST_LIVE_TENSORS = 24
MOST_FRAMES = 12

_TORCH = os.path.dirname(torch.__file__) + os.sep
_COMPILER_PARTS = (
    "_dynamo",
    "_inductor",
    "_functorch",
    "_higher_order_ops",
    "_subclasses",
    "_decomp",
    "_prims",
    "_prims_common",
    "_refs",
    "_meta_registrations.py",
    "fx",
    os.path.join("utils", "_sympy"),
)
_USER_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_HERE = worker_path.WORKER + os.sep


def capped(text: str, limit: int) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode("utf-8")
    return data[: limit - 3].decode("utf-8", "ignore") + "…"


def report(error: BaseException, file: str, source: str) -> dict[str, Any]:
    chain = list(causes(error))
    # once each: the text of a program's own exception is computed by its code
    texts = [_text_of(each) for each in chain]
    line, frame = user_place(chain, texts, file)
    lines = source.splitlines()
    return {
        "outer_class": type(error).__name__,
        "inner_class": type(chain[-1]).__name__,
        "message": capped(texts[0], MESSAGE_CAP),
        "compiler_frame": compiler_frame(chain),
        "user_line": line,
        "user_source": lines[line - 1].strip()[:400] if 0 < line <= len(lines) else "",
        "user_operator": user_operator(chain, file, source) if frame is not None else "",
        "dead": liveness.is_dead(source, [n for f, n in frames_of(error) if f.f_code.co_filename == file]),
        "live_tensors": live_tensors(frame, source, line) if frame is not None else [],
        "traceback": short_traceback(error, texts[0]),
    }


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as failure:
        return f"<unprintable: {type(failure).__name__}>"


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error, then its causes: the compiler wraps errors with inner_exception, `from`, or only by context."""
    seen: set[int] = set()
    current: BaseException | None = error
    while isinstance(current, BaseException) and id(current) not in seen and len(seen) < 20:
        seen.add(id(current))
        yield current
        current = _beneath(current)


def _beneath(error: BaseException) -> BaseException | None:
    if type(error).__name__ == "CppCompileError":
        return None  # it reports the C++ compiler's failure itself; below it there is only the exit status
    told = getattr(error, "inner_exception", None) or error.__cause__
    # For a program that raises in its own except clause, what it raises counts; the compiler often wraps by context
    # only.
    if told is None and type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return error.__context__
    return told


def frames_of(error: BaseException) -> list[tuple[types.FrameType, int]]:
    return [(entry.tb_frame, entry.tb_lineno) for entry in _entries_of(error)]


def _entries_of(error: BaseException) -> Iterator[types.TracebackType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


def compiler_frame(chain: list[BaseException]) -> str:
    for error in reversed(chain):
        for frame, _ in reversed(frames_of(error)):
            file = frame.f_code.co_filename
            if file.startswith(_TORCH) and file[len(_TORCH) :].startswith(_COMPILER_PARTS):
                return f"{os.path.basename(file)}:{frame.f_code.co_name}"
    return ""


def user_place(chain: list[BaseException], texts: list[str], file: str) -> tuple[int, types.FrameType | None]:
    """The innermost line of the program on the stack; a compiler that traces the program names the line in its message
    instead."""
    for error in reversed(chain):
        for frame, line in reversed(frames_of(error)):
            if frame.f_code.co_filename == file:
                named = _named_line(chain, texts, file)
                # A compiled call leaves the program's frame at the start of the call: the line the compiler names is
                # closer.
                return (named, None) if named and compiler_frame(chain) else (line, frame)
        if isinstance(error, SyntaxError) and error.filename == file:
            return error.lineno or 0, None
    return _named_line(chain, texts, file), None


def user_operator(chain: list[BaseException], file: str, source: str) -> str:
    """What was called at user_place, provided that is in a frame of the program."""
    for error in reversed(chain):
        entries = list(_entries_of(error))
        own = [place for place, entry in enumerate(entries) if entry.tb_frame.f_code.co_filename == file]
        if own:
            return raised_at.operator(entries[own[-1] :], source, _value_of)[:100]
    return ""


def _named_line(chain: list[BaseException], texts: list[str], file: str) -> int:
    for error, text in zip(chain, texts, strict=True):
        places = [int(line) for name, line in _USER_FRAME.findall(text) if name == file]
        if places:
            return places[-1]
        stack = getattr(error, "real_stack", None)
        for summary in reversed(list(stack or ())):
            if summary.filename == file:
                return summary.lineno or 0
    return 0


def live_tensors(frame: types.FrameType, source: str, line: int) -> list[dict[str, Any]]:
    """Tensors among the names and attributes that the statement at `line` reads, in the order it reads them."""
    found: dict[str, dict[str, Any]] = {}
    for node in _expressions_at(source, line):
        value = _value_of(node, frame)
        if isinstance(value, torch.Tensor) and len(found) < MOST_LIVE_TENSORS:
            found.setdefault(ast.unparse(node), _described(ast.unparse(node), value))
    return list(found.values())


def _described(expression: str, tensor: torch.Tensor) -> dict[str, Any]:
    shape = [int(size) if isinstance(size, int) else -1 for size in tensor.shape]
    return {"expression": expression, "dtype": str(tensor.dtype).removeprefix("torch."), "shape": shape}


def _expressions_at(source: str, line: int) -> list[ast.expr]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    covering = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    if not covering:
        return []
    statement = min(covering, key=lambda n: (n.end_lineno or n.lineno) - n.lineno)
    nodes: list[ast.AST]
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return []
    body = [child for name in ("body", "orelse", "finalbody", "handlers") for child in getattr(statement, name, [])]
    nodes = [statement]
    for node in nodes:  # breadth first, without the body of a compound statement
        nodes += [child for child in ast.iter_child_nodes(node) if child not in body]
    expressions = [n for n in nodes if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)]
    return sorted(expressions, key=lambda n: (n.lineno, n.col_offset))


def _value_of(node: ast.expr, frame: types.FrameType) -> Any:
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _value_of(node.value, frame)
        # Only modules' own tables: any other attribute might be a property, that is, code.
        for table in ("_parameters", "_buffers", "_modules", "__dict__"):
            attributes = getattr(owner, table, None) if isinstance(owner, torch.nn.Module) else None
            if isinstance(attributes, dict) and node.attr in attributes:
                return attributes[node.attr]
    return None


def short_traceback(error: BaseException, text: str) -> str:
    """The path from the program down to the failure, for people: without frames of the worker, and with the middle left
    out."""
    frames = [(f, n) for f, n in frames_of(error) if not f.f_code.co_filename.startswith(_HERE)]
    lines = [f'  File "{_shown(f.f_code.co_filename)}", line {n}, in {f.f_code.co_name}' for f, n in frames]
    if len(lines) > MOST_FRAMES:
        half = MOST_FRAMES // 2
        lines = lines[:half] + [f"  … {len(lines) - 2 * half} frames …"] + lines[-half:]
    whole = "\n".join(["Traceback (most recent call last):", *lines, f"{type(error).__name__}: {text}"])
    return capped(whole, TRACEBACK_CAP)


def _shown(file: str) -> str:
    return "torch/" + file[len(_TORCH) :] if file.startswith(_TORCH) else file


def clear(error: BaseException) -> None:
    """Frames hold tensors: release them before the next program."""
    for cause in list(causes(error)):
        cause.__traceback__ = None
        cause.__context__ = None
