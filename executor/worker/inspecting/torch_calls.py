"""Which functions of torch's compiler name which others: a call graph by names, from the source alone. It has too many
edges rather than too few: a method is found by its name, whatever the object is."""

import ast
import collections
import functools
import os
from collections.abc import Container, Iterable, Iterator

from torch_units import ROOT, Unit, is_statement, parsed

FOLDERS = ("_inductor", "_decomp", "_refs", "_prims", "_prims_common", "_meta_registrations.py")
MOST_STEPS = 4
MOST_ALIKE = 6  # functions of one name, past which the name says nothing

_LOWERINGS = "torch/_inductor/lowering.py"
_HANDLERS = ("Overrides", "Ops", "OpsHandler", "Analysis")  # classes whose methods are called as `ops.name`
_NOT_OBJECTS = ("aten", "math", "np", "ops", "prims", "sympy", "torch")


def files() -> list[str]:
    found = []
    for folder in FOLDERS:
        path = os.path.join(ROOT, folder)
        if path.endswith(".py"):
            found.append(f"torch/{folder}")
        for parent, _, names in os.walk(path):
            found += [f"torch/{os.path.relpath(os.path.join(parent, name), ROOT)}" for name in names]
    return sorted(file for file in found if file.endswith(".py"))


@functools.cache
def names_in(file: str) -> dict[Unit, frozenset[str]]:
    """What each unit of a file names: "cat", ".load", "aten.cat"."""
    return {one.unit: _names(one.node) for one in parsed(file)}


def _names(node: ast.AST) -> frozenset[str]:
    """Without its own variables. Written for speed: there are millions of nodes."""
    own, variables, found = set(), set(), set()
    waiting: list[ast.AST] = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.Name):
            (own if isinstance(inner.ctx, ast.Store) else variables).add(inner.id)
            continue
        if isinstance(inner, ast.arg):
            own.add(inner.arg)
        elif isinstance(inner, ast.Attribute):
            of = inner.value.id if isinstance(inner.value, ast.Name) else ""
            if of:
                found.add(f"{of}.{inner.attr}")
            if of not in _NOT_OBJECTS:
                found.add(f".{inner.attr}")
        waiting += ast.iter_child_nodes(inner)
    return frozenset(found | (variables - own))


class Graph:
    def __init__(self) -> None:
        self._named_by: dict[str, set[Unit]] = collections.defaultdict(set)
        self._alike: collections.Counter[str] = collections.Counter()
        for file in files():
            for unit, names in names_in(file).items():
                self._alike[_last(unit)] += 1
                for name in names:
                    self._named_by[name].add(unit)

    def callers(self, unit: Unit) -> set[Unit]:
        """Those that may call it; of a method also those that make an object of its class."""
        owner, _, last = unit.name.rpartition(".")
        named = self._named_by
        if not owner:
            return named[last].union(*(named[f"{module}.{last}"] for module in _modules(unit.file))) - {unit}
        if owner.endswith(_HANDLERS):
            lowerings = {one for one in named[f"aten.{last}"] if one.file == _LOWERINGS and is_statement(one)}
            return named[f"ops.{last}"] | named[f"{owner}.{last}"] | lowerings
        found = set(named[f"{owner}.{last}"])
        if self._alike[last] <= MOST_ALIKE:
            return found | named[f".{last}"] - {unit}
        return found | named[owner] | named[f".{owner}"] - {unit}

    def above(self, units: Iterable[Unit], ends: Container[Unit]) -> Iterator[Unit]:
        """The units themselves and those that reach them, the nearest first; those above `ends` only one step further,
        and none further than MOST_STEPS."""
        seen = dict.fromkeys(units, 0)
        waiting = collections.deque(seen)
        while waiting:
            unit = waiting.popleft()
            yield unit
            steps = max(seen[unit] + 1, MOST_STEPS if unit in ends else 0)
            for caller in sorted(self.callers(unit)) if steps <= MOST_STEPS else ():
                if caller not in seen:
                    seen[caller] = steps
                    waiting.append(caller)


def _modules(file: str) -> set[str]:
    """What its importers call it."""
    name = file.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]
    return {name, name.lstrip("_"), f"{name}s", name.rstrip("s")}


def _last(unit: Unit) -> str:
    return unit.name.rpartition(".")[2]
