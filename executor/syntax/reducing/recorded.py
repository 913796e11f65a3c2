"""Values that a worker recorded for a program's names (executor/worker/running/values.py), and expressions that make
such values again."""

from __future__ import annotations

import ast
import math
from typing import Any

DEFAULT_DTYPE = "float32"
INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
WIDE = 8.0  # beyond this a normal distribution would not resemble the recorded values


class Recorded:
    """Values by the line of the statement after which they were recorded."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._by_line: dict[int, dict[str, dict[str, Any]]] = {}
        for row in rows:
            self._by_line.setdefault(int(row["line"]), {})[str(row["name"])] = row

    def after(self, statement: ast.stmt) -> dict[str, dict[str, Any]]:
        """All names of the frame after the statement."""
        return self._between(statement.lineno, statement.end_lineno or statement.lineno)

    def entering(self, function: ast.FunctionDef) -> dict[str, dict[str, Any]]:
        """The arguments of a function."""
        return self._between(function.lineno, max(function.lineno, function.body[0].lineno - 1))

    def _between(self, first: int, last: int) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for line in range(first, last + 1):
            found |= self._by_line.get(line, {})
        return found


def is_tensor(value: dict[str, Any]) -> bool:
    return "shape" in value


def expression(value: dict[str, Any]) -> str:
    """Python that makes a tensor of this shape, dtype and layout with similar values; or the plain value."""
    if not is_tensor(value):
        return str(value["value"])
    shape, stride = value["shape"], value["stride"]
    expanded = [size if step or size <= 1 else 1 for size, step in zip(shape, stride, strict=True)]
    order = sorted(range(len(shape)), key=lambda d: (-stride[d], d)) if _is_permuted(expanded, stride) else None
    base = _drawn([expanded[d] for d in order] if order else expanded, value)
    if order:
        base = f"{_closed(base)}.permute({', '.join(str(order.index(d)) for d in range(len(order)))})"
    if expanded != shape:
        base = f"{_closed(base)}.expand({', '.join(map(str, shape))})"
    return base


def _closed(text: str) -> str:
    return f"({text})" if " " in text.split("(")[0] or text.count("(") != 1 or not text.endswith(")") else text


def _is_permuted(shape: list[int], stride: list[int]) -> bool:
    """Dense, but not row-major."""
    if math.prod(shape) == 0:
        return False
    step, dims = 1, [d for d in range(len(shape)) if shape[d] > 1]
    for d in sorted(dims, key=lambda d: stride[d]):
        if stride[d] != step:
            return False
        step *= shape[d]
    return dims != sorted(dims, key=lambda d: (-stride[d], d))


def _drawn(shape: list[int], value: dict[str, Any]) -> str:
    dtype = value["dtype"]
    low, high = value.get("low"), value.get("high")
    sizes = ", ".join(map(str, shape)) or "()"
    as_tuple = f"({sizes}{',' if len(shape) == 1 else ''})" if shape else "()"
    suffix = "" if dtype == DEFAULT_DTYPE else f", dtype=torch.{dtype}"
    if dtype == "bool":
        return f"torch.rand({sizes}) > 0.5"
    if dtype in INTEGERS:
        suffix = "" if dtype == "int64" else suffix
        return f"torch.randint({int(low or 0)}, {int(high or 0) + 1}, {as_tuple}{suffix})"
    if dtype.startswith("float8"):
        return f"torch.randn({sizes}).to(torch.{dtype})"
    draw = "rand" if low is not None and low >= 0 and high is not None and high > 0 else "randn"
    widest = max(abs(low or 0), abs(high or 0))
    scale = f" * {2 ** math.ceil(math.log2(widest))}" if widest > WIDE else ""
    return f"torch.{draw}({sizes}{suffix}){scale}"
