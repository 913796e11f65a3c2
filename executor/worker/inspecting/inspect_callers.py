"""The operators whose lowering, decomposition or meta function reaches given functions of torch, from its tables and
its source (docs/inspect.md).

Not for `parityd inspect`: `parityd fix` requests it and names the functions.
"""

import collections
import json
from typing import TYPE_CHECKING

from fired_kinds import decomposition_table, lowering_table, meta_table, registrations
from torch_calls import Graph, names_in
from torch_units import Unit, parsed

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_OPERATORS = 60  # of a function
_NAMING = "torch/_inductor/fx_passes/"  # a pass is about the operators that it names


def callers(subject: "Subject") -> None:
    asked = subject.message.get("arguments", {}).get("functions", [])
    graph, registered = Graph(), operators_by_unit()
    told = []
    for function in asked:
        file, name = function["file"], function["name"]
        units = [one.unit for one in parsed(file) if one.unit.name == name]
        found = reaching(units, graph, registered)
        told.append({"file": file, "name": name, "operators": found[:MOST_OPERATORS], "reached": len(found)})
    subject.answer = json.dumps({"functions": told})


def operators_by_unit() -> dict[Unit, set[str]]:
    """Without their overloads: "aten.add"."""
    found: dict[Unit, set[str]] = collections.defaultdict(set)
    for table in (lowering_table(), decomposition_table(), meta_table()):
        for operator, unit in registrations(table).items():
            namespace, _, name = operator.partition(".")
            if namespace in ("aten", "prims"):
                found[unit].add(f"{namespace}.{name.partition('.')[0]}")
    return found


def reaching(units: list[Unit], graph: Graph, registered: dict[Unit, set[str]]) -> list[str]:
    """The nearest first."""
    found: dict[str, None] = {}
    for unit in graph.above(units, registered):
        operators = registered.get(unit, set())
        if unit.file.startswith(_NAMING):
            operators = {name for name in names_in(unit.file).get(unit, ()) if name.startswith("aten.")}
        found |= dict.fromkeys(sorted(operators))
    return list(found)
