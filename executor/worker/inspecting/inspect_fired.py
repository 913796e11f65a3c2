"""What fired in torch's Python compiler for a program: the functions that did something for it in particular, and
counts of rewrites, passes, lowerings, decompositions, kernels and fallbacks (docs/inspect.md).

Not for `parityd inspect`: the daemon and `parityd fix` request it.
"""

import json
from typing import TYPE_CHECKING, Any

import state
from fired_counts import Counts
from fired_kinds import Registered, order
from fired_machinery import machinery
from fired_trace import Entered, Trace
from torch_units import Unit

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_FUNCTIONS = 40
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
    told = [
        _told(unit, entered, registered, unit in usual.plain or unit in usual.common)
        for unit, entered in order(trace.units(), usual.plain, usual.common, registered)[:MOST_FUNCTIONS]
    ]
    subject.answer = json.dumps(
        {
            "eager": eager["kind"],
            "compiled": compiled["kind"],
            "graphs": compiled["graphs"],
            "functions": told,
            "counts": {name: count for name, count in sorted(counts.counts.items()) if count},
        }
    )


def _told(unit: Unit, entered: Entered, registered: Registered, common: bool) -> dict[str, Any]:
    operators = registered.operators(unit) or entered.operators
    return {
        "file": unit.file,
        "name": unit.name,
        "first_line": unit.first_line,
        "last_line": unit.last_line,
        "kind": registered.kind(unit),
        "calls": entered.count,
        "common": common,
        "operators": sorted(operators)[:MOST_OPERATORS],
    }
