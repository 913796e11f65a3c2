"""Makes known_findings.json: suspects and controls of real runs, as the matcher of known issues sees them.

    record_known_findings.py --truth TRUTH.json STATE/parityd.db ...

Each database is what `parityd import PROGRAM...` and `parityd run --provider none --drain` left. A program's issue is
what the truth file of its folder says; programs it does not know, and those without an issue, are unrelated to any. A
confirmation round counts before the screen, where the run got so far; the stage is that of the stage runs, or inductor
if there are none.
"""

import argparse
import json
import pathlib
import re
import sqlite3
import sys

STAGES = ("dynamo_eager", "aot_eager", "aot_eager_decomp_partition")
SHOWN_BY = {"behaviour": "raised", "crash": "died", "hang": "hung", "missing_check": "ran"}
# As store/base/operator_names.cpp has them.
OF_ANY_PROGRAM = """
Model __init__ arange bool clone contiguous default detach dict empty enumerate float forward full
get_init_inputs get_inputs half inputs int isinstance len linspace list manual_seed no_grad ones print
rand randint randn range requires_grad_ size super tensor to tuple zeros zip
"""
SIGNS = {
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
}
CLASSES = {"bool": "bool", "float32": "float", "float64": "float", "float16": "low_precision"}


def dtype_class(dtype: str) -> str:
    """As oracle/rules/signature.h has it."""
    if dtype in CLASSES:
        return CLASSES[dtype]
    if dtype.startswith("complex"):
        return "complex"
    return "low_precision" if "float" in dtype else "integer"


class Examination:
    def __init__(self, database: sqlite3.Connection, row: tuple) -> None:
        self.number, self.purpose, self.compiled, self.verdict, self.kind, leaves = row
        self.leaves = json.loads(leaves)
        runs = database.execute("SELECT mode, outcome, facts FROM runs WHERE examination = ?", (self.number,))
        self.runs = {mode: (outcome, json.loads(facts)) for mode, outcome, facts in runs}
        pairs = database.execute("SELECT expected, actual, id FROM measurements WHERE examination = ?", (self.number,))
        self.dtypes = {}
        for expected, actual, measurement in pairs:
            if expected == "eager":
                rows = database.execute("SELECT path, dtype FROM measured_leaves WHERE measurement = ?", (measurement,))
                self.dtypes[actual] = dict(rows)

    def shows(self, kind: str, stage: str, leaves: list[str]) -> bool:
        if stage not in self.runs:
            return False
        if kind in SHOWN_BY:
            return self.runs[stage][0] == SHOWN_BY[kind]
        return any(leaf in self.dtypes.get(stage, {}) for leaf in leaves)


def examinations_of(database: sqlite3.Connection, program: int) -> list[Examination]:
    rows = database.execute(
        "SELECT e.id, e.purpose, e.compiled, v.verdict, v.kind, v.leaves FROM examinations e "
        "JOIN verdicts v ON v.examination = e.id WHERE e.program = ? ORDER BY e.id",
        (program,),
    )
    return [Examination(database, row) for row in rows.fetchall()]


def message_of(run: tuple) -> str:
    error = run[1].get("error")
    if error:
        lines = [line for line in error["message"].splitlines() if line.strip()][:3]
        return f"{error['inner_class']}: {' '.join(lines)}"[:300]
    return "SIGFPE" if run[1].get("signal") == 8 else ""


def called_in(text: str) -> list[str]:
    by_sign = {name for sign, name in SIGNS.items() if f" {sign} " in text}
    by_library = set(re.findall(r"ops\.aten\.(\w+)", text))
    return sorted(by_sign | by_library | set(re.findall(r"(\w+)\(", text)) - set(OF_ANY_PROGRAM.split()))


def query_of(all_of_it: list[Examination], shown: Examination, text: str) -> dict:
    stages = next((e for e in all_of_it if e.purpose == "stages"), None)
    stage = next((s for s in STAGES if stages and stages.shows(shown.kind, s, shown.leaves)), "inductor")
    failing = shown.runs["eager" if shown.kind == "missing_check" else shown.compiled]
    leaf = shown.dtypes.get(shown.compiled, {}).get(shown.leaves[0], "") if shown.leaves else ""
    return {
        "kind": shown.kind,
        "stage": stage,
        "operators": shown.runs[shown.compiled][1].get("operators", []),
        "called": called_in(text),
        "device": "cpu",
        "message": message_of(failing),
        "dtype_class": dtype_class(leaf) if leaf else "",
        "eager_wrong": False,
    }


def record(database: sqlite3.Connection, issues: dict[str, int | None], recorded: dict[str, list]) -> None:
    torch = database.execute("SELECT torch FROM environments ORDER BY id DESC").fetchone()[0].split("+")[0]
    for program, source, text in database.execute("SELECT id, source, text FROM programs ORDER BY source").fetchall():
        name = pathlib.Path(source).stem
        found = examinations_of(database, program)
        suspects = [e for e in found if e.purpose in ("confirmation", "screen") and e.verdict == "inconsistent"]
        shown = next((e for e in suspects if e.purpose == "confirmation"), suspects[0] if suspects else None)
        judged = any(e.purpose == "confirmation" for e in found)
        if shown and (shown.purpose == "confirmation" or (not judged and issues.get(name))):
            recorded["findings"].append(
                {"program": name, "torch": torch, "issue": issues.get(name), "query": query_of(found, shown, text)}
            )
        elif issues.get(name) is None and found and found[0].compiled in found[0].runs:
            operators = found[0].runs[found[0].compiled][1].get("operators", [])
            if operators:
                recorded["controls"].append({"program": name, "operators": operators, "called": called_in(text)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    parser.add_argument("databases", nargs="+")
    arguments = parser.parse_args()
    issues = {entry["id"]: entry["issue"] for entry in json.loads(arguments.truth.read_text())["programs"]}
    recorded: dict[str, list] = {"findings": [], "controls": []}
    for file in arguments.databases:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
            record(database, issues, recorded)
    sections = [
        json.dumps(name) + ": [\n" + ",\n".join(json.dumps(row, sort_keys=True) for row in rows) + "\n]"
        for name, rows in recorded.items()
    ]
    sys.stdout.write("{" + ",\n".join(sections) + "}\n")


if __name__ == "__main__":
    main()
