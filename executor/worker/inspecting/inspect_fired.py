"""What fired in torch's Python compiler for a program: the functions that did something for it in particular, and
counts of rewrites, passes, lowerings, decompositions, kernels and fallbacks (docs/inspect.md).

Not for `parityd inspect`: the daemon and `parityd fix` request it.
"""

import json
from typing import TYPE_CHECKING, Any

import state
from fired_counts import Counts
from fired_kinds import Registered
from fired_machinery import Machinery, machinery
from fired_order import Suspicion, order
from fired_trace import Entered, Trace
from inspect_place import ranges
from torch_units import Unit

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_FUNCTIONS = 60
MOST_OPERATORS = 8  # of a function


def fired(subject: "Subject") -> None:
    usual = machinery(subject)
    eager = subject.run("eager")
    state.reset_torch()
    trace = Trace()
    counts = Counts(trace)
    with counts.watching(), trace:
        compiled = subject.run()
    subject.outcome = None
    registered = Registered(counts)
    asked = subject.message.get("arguments", {})
    traceback = compiled.get("error", {}).get("traceback", "")
    area, blamed, setting = asked.get("area", ""), asked.get("blamed", []), asked.get("setting", "")
    suspicion = Suspicion(subject.message["program"], area, blamed, setting, traceback)
    ordered = order(trace.units(), usual, registered, suspicion)
    told = [_told(unit, entered, registered, usual) for unit, entered in ordered[:MOST_FUNCTIONS]]
    subject.answer = json.dumps(
        {
            "eager": eager["kind"],
            "compiled": compiled["kind"],
            "graphs": compiled["graphs"],
            "functions": told,
            "counts": {name: count for name, count in sorted(counts.counts.items()) if count},
        }
    )


def _told(unit: Unit, entered: Entered, registered: Registered, usual: Machinery) -> dict[str, Any]:
    operators = registered.operators(unit) or entered.operators
    common = usual.enters(unit)
    return {
        "file": unit.file,
        "name": unit.name,
        "first_line": unit.first_line,
        "last_line": unit.last_line,
        "kind": registered.kind(unit),
        "calls": entered.count,
        "common": common,
        "own_lines": ranges(usual.own_lines(unit, entered.lines)) if common else "",
        "operators": sorted(operators)[:MOST_OPERATORS],
    }
