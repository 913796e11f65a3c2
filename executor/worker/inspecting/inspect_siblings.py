"""Functions of torch's compiler beside those that fired: written alike, and not run by the program (docs/inspect.md).

Not for `parityd inspect`: `parityd fix` requests it, and names what fired, the operators that the finding is about and
those with which it does not show.
"""

import ast
import collections
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from fired_kinds import MOST_SHARED, decomposition_table, lowering_table, registrations
from fired_trace import unit_of_function
from torch_calls import names_in
from torch_units import Unit, is_statement, parsed

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_RIGHT = 2
MOST = 3
MOST_COMPARED = 3  # of the functions that fired
LEAST_ALIKE = 0.35
LEAST_NAMES = 6  # a function that names less is like too many

_REFERENCES = ("torch._refs", "torch._refs.nn.functional", "torch._refs.special", "torch._refs.linalg")


@dataclass(frozen=True)
class Sibling:
    unit: Unit
    relation: str  # "right", "same" or "alike"
    to: str  # the operator, or the function that it is like


def siblings(subject: "Subject") -> None:
    asked = subject.message.get("arguments", {})
    fired = [unit for one in asked.get("functions", []) if (unit := _unit(one["file"], one["name"])) is not None]
    found: dict[Unit, Sibling] = {}
    for sibling in _all(fired, asked.get("right", []), asked.get("operators", [])):
        found.setdefault(sibling.unit, sibling)
    subject.answer = json.dumps({"functions": [_told(one) for one in list(found.values())[:MOST]]})


def _told(one: Sibling) -> dict[str, Any]:
    place = {"file": one.unit.file, "name": one.unit.name}
    lines = {"first_line": one.unit.first_line, "last_line": one.unit.last_line}
    return {**place, **lines, "relation": one.relation, "to": one.to}


def _unit(file: str, name: str) -> Unit | None:
    return next((one.unit for one in parsed(file) if one.unit.name == name), None)


def _all(fired: list[Unit], right: list[str], operators: list[str]) -> Iterator[Sibling]:
    tables = [registrations(lowering_table()), registrations(decomposition_table())]

    def distance(one: Sibling) -> int:
        return _distance(one.unit, fired)

    each = [_of_operator(name, tables, fired, "right") for name in right]
    yield from sorted((min(some, key=distance) for some in each if some), key=distance)[:MOST_RIGHT]
    for name in operators:
        yield from _of_operator(name, tables, fired, "same")[:1]
    yield from (one for unit in fired[:MOST_COMPARED] for one in _alike(unit, fired))


def _distance(unit: Unit, fired: list[Unit]) -> int:
    """How far the first function of the same file is from the likeliest."""
    return next((at for at, one in enumerate(fired) if one.file == unit.file), len(fired))


def _of_operator(name: str, tables: list[dict[str, Unit]], fired: list[Unit], relation: str) -> list[Sibling]:
    """What torch has for an operator and did not fire: its lowering, its decomposition, its reference. Not what makes
    the functions of many operators, nor a statement, which says little."""
    own = [unit for table in tables for operator, unit in table.items() if operator.split(".")[1:2] == [name]]
    own = [unit for unit in own if max(list(table.values()).count(unit) for table in tables) <= MOST_SHARED]
    own += [unit for unit in (_reference(name, module) for module in _REFERENCES) if unit is not None]
    found = dict.fromkeys(_worker_of(unit, fired) for unit in own if unit not in fired and not is_statement(unit))
    return [Sibling(unit, relation, name) for unit in found]


def _reference(name: str, module: str) -> Unit | None:
    found: Any = torch
    for part in [*module.split(".")[1:], name]:
        found = getattr(found, part, None)
    return unit_of_function(found) if found is not None else None


def _worker_of(unit: Unit, fired: list[Unit]) -> Unit:
    """What a function that only calls another one of its file calls, unless that fired."""
    node = next(one.node for one in parsed(unit.file) if one.unit == unit)
    if isinstance(node, ast.FunctionDef) and len(node.body) == 1 and isinstance(node.body[0], ast.Return):
        call = node.body[0].value
        called = (
            _unit(unit.file, call.func.id) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
        )
        return unit if called is None or called in fired else called
    return unit


def _alike(unit: Unit, fired: list[Unit]) -> list[Sibling]:
    """The function of the same file that names the same rare things, if there is one."""
    named = names_in(unit.file)
    own = named.get(unit, frozenset())
    if len(own) < LEAST_NAMES or is_statement(unit):
        return []
    files = collections.Counter(name for names in named.values() for name in names)
    rare = {name: math.log(len(named) / number) ** 2 for name, number in files.items()}

    def alike(other: Unit) -> float:
        sizes = [sum(rare[name] for name in names) for names in (own, named[other])]
        return sum(rare[name] for name in own & named[other]) / (math.sqrt(math.prod(sizes)) or 1)

    others = [one for one in named if one not in fired and not is_statement(one) and len(named[one]) >= LEAST_NAMES]
    best = max(others, key=alike, default=None)
    return [Sibling(best, "alike", unit.name)] if best is not None and alike(best) >= LEAST_ALIKE else []
