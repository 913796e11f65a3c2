"""What the names of a program hold while it runs in eager: shapes and dtypes of tensors, plain numbers. Reduction turns
them into inputs, so that a program can begin in the middle."""

import contextlib
import math
import sys
import types
from typing import Any

import torch
from torch._C._functorch import is_functorch_wrapped_tensor

MOST_LINES = 400
MOST_NAMES = 60
_settrace = sys.settrace  # a program may rebind the name


class Values(contextlib.AbstractContextManager):
    """While entered, follows the frames of one file. `found` maps "line:name" to the value that the statement
    beginning or ending on that line left in the name. A statement that ran twice with different kinds of values
    yields nothing."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._last: dict[types.FrameType, int] = {}
        self.found: dict[str, dict[str, Any] | None] = {}

    def __enter__(self) -> "Values":
        _settrace(self._enter_frame)
        return self

    def __exit__(self, *_: object) -> None:
        _settrace(None)
        self._last.clear()

    def described(self) -> list[dict[str, Any]]:
        rows = []
        for place, value in self.found.items():
            line, name = place.split(":", 1)
            if value is not None:
                rows.append({"line": int(line), "name": name, **value})
        return rows

    def _enter_frame(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event != "call" or frame.f_code.co_filename != self._file:
            return None
        self._last[frame] = 0
        self._note(frame, frame.f_code.co_firstlineno)
        return self._follow

    def _follow(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event in ("line", "return"):
            if line := self._last.get(frame, 0):
                self._note(frame, line)
            self._last[frame] = frame.f_lineno
        if event == "return":
            self._last.pop(frame, None)
        return self._follow

    def _note(self, frame: types.FrameType, line: int) -> None:
        if len(self.found) > MOST_LINES * MOST_NAMES:
            return
        for name, value in list(frame.f_locals.items())[:MOST_NAMES]:
            place = f"{line}:{name}"
            described = _described(value)
            if place in self.found and _kind(self.found[place]) != _kind(described):
                described = None
            self.found[place] = described


def _kind(described: dict[str, Any] | None) -> Any:
    return described and [described.get(key) for key in ("shape", "dtype", "stride", "value")]


def _described(value: Any) -> dict[str, Any] | None:
    """None for what no plain expression can make again."""
    if type(value) in (int, float, bool, str) and value == value and not _infinite(value):
        return {"value": repr(value)}
    if (
        not isinstance(value, torch.Tensor)
        or type(value).__name__ == "FakeTensor"
        or is_functorch_wrapped_tensor(value)
    ):
        return None
    # one raised here would look like the program's own
    with torch.no_grad(), _untraced(), contextlib.suppress(Exception):
        if value.layout == torch.strided:
            return {
                "shape": list(value.shape),
                "dtype": str(value.dtype).removeprefix("torch."),
                "stride": list(value.stride()),
                **_range(value.detach()),
            }
    return None


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _range(value: torch.Tensor) -> dict[str, float]:
    if value.numel() == 0 or value.dtype == torch.bool or value.is_complex():
        return {}
    low, high = float(value.min()), float(value.max())
    return {"low": low, "high": high} if math.isfinite(low) and math.isfinite(high) else {}


@contextlib.contextmanager
def _untraced() -> Any:
    tracing = sys.gettrace()
    _settrace(None)
    try:
        yield
    finally:
        _settrace(tracing)
