"""What a program does at a place in torch's own source, for a model that suspected a mistake there (docs/reading.md):
which of its lines run while the program is compiled, what code Inductor writes, and the first values.

Not for `parityd inspect`: the daemon requests it and gives the place.
"""

import contextlib
import re
import sys
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from unittest import mock

import modes
from inspect_subject import Observed
from left_behind import Group

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_VALUES = 6  # of a leaf
MOST_LEAVES = 6
KERNELS_CAP = 3_000  # characters
TOLD = ("output", "gradient", "earlier_output", "input_after")  # most important first
_KERNEL = re.compile(r"'''\n?(.*?)'''", re.DOTALL)
_CALL = re.compile(r"^( *)def call\(.*?(?=^\1\S|^\S|\Z)", re.DOTALL | re.MULTILINE)
_PLUMBING = re.compile(
    r"\s*(#|import |from |assert_size_stride|del |args\.clear|@triton|.*get_raw_stream|.*cpu_integer_div_error|$)"
)
_CAST = re.compile(r"static_cast<int64_t>\((\w+?)L?\)")
_INDENT = re.compile(r"    (?= *)")


def place(subject: "Subject") -> None:
    asked = subject.message.get("place")
    lines = Lines(**asked) if asked else None
    codes: list[str] = []
    eager = _Noted(subject, "eager")
    eager.run()
    compiled = _Noted(subject, subject.own_mode)
    with lines or contextlib.nullcontext(), _written(codes):
        compiled.run()
    subject.outcome = {"mode": compiled.plan.name, **compiled.outcome}
    if lines:
        subject.text.write(lines.in_words() + "\n")
    expected, got = eager.most_telling(), compiled.most_telling()
    subject.text.writelines(f"eager: {told}\n" for told in expected)
    subject.text.writelines(f"compiled: {told}\n" for told in (got if got != expected else ["the same"]))
    written = "\n".join(essence(code) for code in codes)
    if written:
        subject.text.write(f"Inductor wrote:\n{written[:KERNELS_CAP]}\n")


class Lines:
    """Records which lines of a function run, including functions nested in it."""

    def __init__(self, file: str, first_line: int, last_line: int) -> None:
        self.ran: set[int] = set()
        self._file, self._first, self._last = file, first_line, last_line

    def __enter__(self) -> "Lines":
        if sys.version_info >= (3, 12):  # in every thread: autograd's threads compile, too
            monitoring, tool = sys.monitoring, sys.monitoring.PROFILER_ID
            monitoring.use_tool_id(tool, "parityd")
            monitoring.register_callback(tool, monitoring.events.PY_START, self._started)
            monitoring.register_callback(tool, monitoring.events.LINE, self._reached)
            monitoring.set_events(tool, monitoring.events.PY_START)
        else:
            sys.settrace(self._called)
        return self

    def __exit__(self, *_exception: object) -> None:
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(sys.monitoring.PROFILER_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.PROFILER_ID)
        else:
            sys.settrace(None)

    def _holds(self, code: types.CodeType) -> bool:
        return self._first <= code.co_firstlineno <= self._last and code.co_filename.endswith("/torch/" + self._file)

    def _called(self, frame: types.FrameType, _event: str, _argument: Any) -> Any:
        return self._traced if self._holds(frame.f_code) else None

    def _traced(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            self.ran.add(frame.f_lineno)
        return self._traced

    def _started(self, code: types.CodeType, _offset: int) -> Any:
        if self._holds(code):
            sys.monitoring.set_local_events(sys.monitoring.PROFILER_ID, code, sys.monitoring.events.LINE)
        return sys.monitoring.DISABLE

    def _reached(self, _code: types.CodeType, line: int) -> Any:
        self.ran.add(line)
        return sys.monitoring.DISABLE

    def in_words(self) -> str:
        said = f"lines {ranges(self.ran)}" if self.ran else "none"
        return f"of {self._file}:{self._first}-{self._last} ran: {said}"


def ranges(numbers: Iterable[int]) -> str:
    """{1, 2, 3, 7} is "1-3, 7"."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in found)


class _Noted(Observed):
    """A run that records the first values of its results."""

    def __init__(self, subject: "Subject", mode: str) -> None:
        plan = modes.Plan(mode, subject.own_mode, subject.message["device"], subject.message["seed"])
        super().__init__(subject, plan, {}, None)
        self._told: dict[str, list[str]] = {group: [] for group in TOLD}

    def _record(self, left: Iterator[Group], recorder: Any, observer: Any) -> None:
        super()._record(self._noting(left), recorder, observer)

    def _noting(self, left: Iterator[Group]) -> Iterator[Group]:
        for group, flat in left:
            noted = list(flat)
            if group in TOLD:
                self._told[group] += [leaf_in_words(leaf) for leaf in noted[:MOST_LEAVES]]
            yield group, noted

    def most_telling(self) -> list[str]:
        return [told for group in TOLD for told in self._told[group]][:MOST_LEAVES]


def leaf_in_words(leaf: Any) -> str:
    if leaf.tensor is None:
        return f"{leaf.path} = {leaf.value[:80]}"
    tensor = leaf.tensor.detach()
    kind = f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
    try:
        values = tensor.resolve_conj().flatten()[:MOST_VALUES].tolist()
    except (RuntimeError, NotImplementedError):  # sparse, quantised, meta
        return f"{leaf.path}: {kind}"
    shown = ", ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values)
    return f"{leaf.path}: {kind}: {shown}{', …' if tensor.numel() > MOST_VALUES else ''}"


@contextlib.contextmanager
def _written(codes: list[str]) -> Iterator[None]:
    """Inductor passes each module's text to this hook, which PyTorch's own tests use (torch/_inductor/utils.py)."""
    from torch._inductor.graph import GraphLowering

    if not hasattr(GraphLowering, "save_output_code"):
        yield
        return
    with mock.patch.object(GraphLowering, "save_output_code", codes.append):
        yield


def essence(code: str) -> str:
    """The kernels and the code that calls them, without imports, checks of sizes, comments and most of C++'s casts."""
    call = _CALL.search(code)
    parts = [*_KERNEL.findall(code), call.group() if call else ""]
    lines = [line for part in parts for line in part.splitlines() if not _PLUMBING.match(line)]
    return _CAST.sub(r"\1", "\n".join(_INDENT.sub(" ", line) for line in lines))
