"""Which functions of torch's compiler are entered, how often, for which operator, and which of their lines run."""

import sys
import threading
import types
from dataclasses import dataclass, field
from typing import Any

from torch_units import Unit, file_of, unit_at

FOLDERS = (
    "torch/_inductor/",
    "torch/_dynamo/",
    "torch/_functorch/",
    "torch/_decomp/",
    "torch/_refs/",
    "torch/_prims",
    "torch/_meta_registrations.py",
    "torch/_subclasses/",
    "torch/_higher_order_ops/",
    "torch/_export/",
    "torch/export/",
    "torch/fx/passes/",
    "torch/fx/experimental/",
    "torch/utils/_sympy/",
)
_MOST_TRACED = 20  # calls of a function whose lines are traced, where each line costs time whenever it runs


@dataclass
class Entered:
    count: int = 0
    operators: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)


class Trace:
    """Counts the calls of every function while it is entered. `operator` is what the compiler works on now; whoever
    knows sets it."""

    def __init__(self) -> None:
        self.operator = ""
        self._codes: dict[types.CodeType, Entered] = {}

    def __enter__(self) -> "Trace":
        if sys.version_info >= (3, 12):  # in every thread: autograd's threads compile, too
            monitoring, tool = sys.monitoring, sys.monitoring.PROFILER_ID
            monitoring.use_tool_id(tool, "parityd")
            monitoring.register_callback(tool, monitoring.events.PY_START, self._started)
            monitoring.register_callback(tool, monitoring.events.LINE, self._reached)
            monitoring.set_events(tool, monitoring.events.PY_START | monitoring.events.LINE)
            monitoring.restart_events()  # what an earlier trace disabled
        else:
            threading.settrace(self._called)
            sys.settrace(self._called)
        return self

    def __exit__(self, *_exception: object) -> None:
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(sys.monitoring.PROFILER_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.PROFILER_ID)
        else:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]

    def _called(self, frame: types.FrameType, _event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_ROOTS):
            return None
        return self._traced if self._count(frame.f_code).count <= _MOST_TRACED else None

    def _traced(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            self._codes[frame.f_code].lines.add(frame.f_lineno)
        return self._traced

    def _started(self, code: types.CodeType, _offset: int) -> Any:
        if not code.co_filename.startswith(_ROOTS):
            return sys.monitoring.DISABLE
        self._count(code)
        return None

    def _reached(self, code: types.CodeType, line: int) -> Any:
        if code.co_filename.startswith(_ROOTS):
            self._codes.setdefault(code, Entered()).lines.add(line)
        return sys.monitoring.DISABLE

    def _count(self, code: types.CodeType) -> Entered:
        entered = self._codes.get(code)
        if entered is None:
            entered = self._codes[code] = Entered()
        entered.count += 1
        entered.operators.add(self.operator)
        return entered

    def units(self) -> dict[Unit, Entered]:
        """What was entered of the compiler, nested functions added to the outer ones."""
        found: dict[Unit, Entered] = {}
        for code, entered in self._codes.items():
            unit = unit_of(code)
            if unit is not None:
                one = found.setdefault(unit, Entered())
                one.count += entered.count
                one.operators |= entered.operators - {""}
                one.lines |= entered.lines
        return found


def _roots() -> tuple[str, ...]:
    from torch_units import ROOT

    return tuple(ROOT + folder.removeprefix("torch/") for folder in FOLDERS)


_ROOTS = _roots()


def unit_of(code: types.CodeType) -> Unit | None:
    file = file_of(code.co_filename)
    return unit_at(file, code.co_firstlineno) if file.startswith(FOLDERS) else None


def innermost(function: Any) -> Any:
    """What is left without decorators and partial applications."""
    for _ in range(20):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    return function


def unit_of_function(function: Any) -> Unit | None:
    code = getattr(innermost(function), "__code__", None)
    return unit_of(code) if code is not None else None
