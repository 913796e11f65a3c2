"""Which of the functions that fired are told, and in which order: the likeliest place of a mistake first."""

import collections
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from fired_kinds import ORDER, Registered
from fired_machinery import Machinery
from fired_trace import Entered
from torch_calls import names_in
from torch_units import Unit, unit_at

# Kinds that can be wrong if a stage is the first whose result differs, or if the program is right without any passes:
# the likeliest first.
_AREAS = {
    "dynamo_eager": (("dynamo", "other"),),
    "aot_eager": (("autograd",), ("decomposition", "meta", "other"), ("dynamo",)),
    "aot_eager_decomp_partition": (("decomposition",), ("autograd", "meta")),
    "passes": (("rewrite", "pass"),),
    "inductor": (("rewrite", "lowering", "decomposition", "pass", "inductor", "codegen", "sympy"),),
}
_SHORT = 4  # lines: most such functions only tell what an object is
_RARE = 0.1  # of the names that are told
_MOST_FRAMES = 3
_FRAME = re.compile(r'File "(?:.*/)?torch/([^"]+)", line (\d+)')
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")


@dataclass(frozen=True)
class Suspicion:
    """What is known about the mistake; all of it may be empty."""

    program: str  # its text
    area: str  # the first backend whose result differs from eager's, or "passes"
    blamed: Collection[str]  # operators with whose eager kernels it vanishes: "amax"
    setting: str  # with another value of which it vanishes: "simdlen"
    traceback: str  # of what the compiled program raises

    def blames(self, unit: Unit, registered: Registered) -> bool:
        if self.setting and f".{self.setting}" in names_in(unit.file).get(unit, ()):
            return True
        return any(name.split(".")[1:2] == [one] for name in registered.operators(unit) for one in self.blamed)


def order(
    entered: dict[Unit, Entered], usual: Machinery, registered: Registered, suspicion: Suspicion
) -> list[tuple[Unit, Entered]]:
    """Functions that are registered for the program's operators, that are blamed, that raised, that plain programs do
    not enter, or of which they do not reach all lines that ran."""
    found = entered | {unit: Entered() for unit in registered.statements() if unit not in entered}
    own = {unit: usual.own_lines(unit, one.lines) for unit, one in found.items()}
    frames = _frames(suspicion.traceback)
    raised = [unit for unit in frames if unit in found and registered.kind(unit) in ORDER][:_MOST_FRAMES]
    told = [
        unit
        for unit in found
        if unit in registered
        or unit in raised
        or (registered.kind(unit) in ORDER and suspicion.blames(unit, registered))
        or (registered.kind(unit) in ORDER and (unit not in usual.plain or own[unit]))
    ]
    named = _Named(suspicion.program, told)
    kinds = _AREAS.get(suspicion.area, ())

    def place(unit: Unit) -> tuple[Any, ...]:
        kind = registered.kind(unit)
        blamed = suspicion.blames(unit, registered)
        often = 0 if blamed or not usual.enters(unit) else 1 if own[unit] else 2
        in_area = next((at for at, some in enumerate(kinds) if kind in some), len(kinds))
        short = unit not in registered and (
            unit.last_line - unit.first_line < _SHORT or unit.name.endswith(("__str__", "__repr__"))
        )
        at_raise = raised.index(unit) if unit in raised else len(raised)
        first = (at_raise, not blamed, often, in_area, unit not in registered, short)
        return *first, -named.words(unit), ORDER.index(kind), -len(own[unit]), found[unit].count, unit

    return [(unit, found[unit]) for unit in sorted(told, key=place)]


def _frames(traceback: str) -> list[Unit]:
    """The functions of torch that were running when it was raised, the innermost first."""
    frames = [(f"torch/{file}", int(line)) for file, line in _FRAME.findall(traceback)]
    found = [unit_at(file, line) for file, line in reversed(frames)]
    return [unit for unit in dict.fromkeys(found) if unit is not None]


class _Named:
    """The words of the program that a function's name has and few others have: "random", "autograd"."""

    def __init__(self, program: str, units: list[Unit]) -> None:
        number = collections.Counter(word for unit in units for word in _words(unit.name))
        self._rare = {word for word in _words(program) if number[word] <= max(1, _RARE * len(units))}

    def words(self, unit: Unit) -> int:
        return len(_words(unit.name) & self._rare)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
