"""Canned evidence for a warm run: one output element a mode, as the program's `value` line says."""

from typing import Any

from directives import Directives
from mode_table import CHOSEN, ROWS


def outcome(mode: str, directives: Directives) -> dict[str, Any]:
    compiled = bool(ROWS[mode].backend)
    operators = (directives.argument("operators") or "aten.add.Tensor").split(",") if compiled else []
    told = {"kind": "ran", "step": "measure", "seconds": 0.001, "graphs": int(compiled), "operators": operators}
    if compiled:
        told["lowered"] = operators
    if replaced := directives.arguments("replaces"):
        told["replaced"] = replaced
    if raised := directives.raised(mode):
        name, message = raised
        error = {
            "outer_class": name,
            "inner_class": name,
            "message": message,
            "compiler_frame": "graph.py:call_function" if compiled else "",
            "user_line": 1,
            "user_source": "",
            "live_tensors": [],
            "traceback": "",
        }
        told.update(kind="raised", step="compile" if compiled else "forward", error=error)
    return told


def leaf(expected: float, actual: float) -> dict[str, Any]:
    difference = abs(expected - actual)
    largest = max(abs(expected), abs(actual))
    return {
        "path": "output",
        "group": "output",
        "dtype": "float32",
        "elements": 1,
        "unequal": int(difference > 0),
        "max_absolute": difference,
        "max_relative": difference / largest if largest else 0.0,
        "rms_difference": difference,
        "rms_expected": abs(expected),
        "exceeds_tolerance": difference > 1e-5 + 1.3e-6 * abs(expected),
        "detail": f"{expected} vs {actual}" if difference else "",
    }


def leaves(directives: Directives, mode: str) -> list[dict[str, Any]]:
    last = leaf(directives.value("eager"), directives.value(mode))
    equal = 1 if directives.argument("second output") is not None else int(directives.argument("equal outputs") or 0)
    if equal == 0:
        return [last]
    before = [{**leaf(1.0, 1.0), "path": f"output[{number}]"} for number in range(equal)]
    return [*before, {**last, "path": f"output[{equal}]"}]


def canned(message: dict, directives: Directives) -> dict[str, Any]:
    modes = message["modes"]
    graphs = directives.graphs
    cure = directives.argument("cured by")
    cured = cure in {neutraliser["name"] for neutraliser in message["neutralisers"]}
    if cured or any(text in directives.code for text in directives.arguments("healthy where")):
        directives = directives.left() if cured else Directives("")  # of which every mode gives the same
    compiled = next((mode for mode in modes if mode in CHOSEN), "inductor")
    measurements = []
    if not message["artefacts"] and not any(directives.raised(mode) for mode in modes):
        measurements = [
            {
                "expected": "eager",
                "actual": mode,
                "leaves": leaves(directives, mode),
            }
            for mode in modes
            if mode != "eager" and "eager" in modes
        ]
    return {
        "compiled": compiled,
        "outcomes": {mode: outcome(mode, directives) for mode in modes},
        "measurements": measurements,
        "warnings": [],
        "features": (directives.argument("features") or "").split(),
        **graphs,
    }


def canary(blind: bool) -> dict[str, Any]:
    """What a sound worker measures of the pool's canary: a fault in the first output, none in the second."""
    leaves = [{**leaf(1.0, 1.0 if blind else 2.0), "path": "output[0]"}, {**leaf(1.0, 1.0), "path": "output[1]"}]
    return {"expected": "eager", "actual": "inductor", "leaves": leaves}
