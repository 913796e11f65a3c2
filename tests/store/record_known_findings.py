"""Makes known_findings.json: findings and controls of real runs, as the matcher of known issues sees them.

    record_known_findings.py --truth TRUTH.json STATE/parityd.db ...

Each database is what `parityd import PROGRAM...` and `parityd run --provider none --drain` left. A program's issue is
what the truth file of its folder says; programs it does not know, and those without an issue, are unrelated to any.
"""

import argparse
import json
import pathlib
import sqlite3
import sys


def findings_of(database: sqlite3.Connection, issues: dict[str, int | None]) -> list[dict]:
    rows = database.execute(
        "SELECT p.source, f.torch, q.query FROM findings f JOIN programs p ON p.id = f.program "
        "JOIN known_queries q ON q.finding = f.id ORDER BY p.source"
    )
    found = []
    for source, torch, query in rows:
        name = pathlib.Path(source).stem
        asked = json.loads(query)
        asked["message"] = asked["message"].splitlines()[0][:300] if asked["message"] else ""
        found.append({"program": name, "torch": torch.split("+")[0], "issue": issues.get(name), "query": asked})
    return found


def controls_of(database: sqlite3.Connection, issues: dict[str, int | None]) -> list[dict]:
    """Programs without a finding and without an issue: the operators compiled code captured."""
    rows = database.execute(
        "SELECT p.source, r.facts FROM programs p JOIN examinations e ON e.program = p.id "
        "JOIN runs r ON r.examination = e.id AND r.mode = e.compiled WHERE e.purpose = 'screen' "
        "AND p.id NOT IN (SELECT program FROM occurrences) ORDER BY p.source"
    )
    found = []
    for source, facts in rows:
        name = pathlib.Path(source).stem
        operators = json.loads(facts).get("operators", [])
        if operators and issues.get(name) is None:
            found.append({"program": name, "operators": operators})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    parser.add_argument("databases", nargs="+")
    arguments = parser.parse_args()
    issues = {entry["id"]: entry["issue"] for entry in json.loads(arguments.truth.read_text())["programs"]}
    recorded: dict[str, list[dict]] = {"findings": [], "controls": []}
    for file in arguments.databases:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
            recorded["findings"] += findings_of(database, issues)
            recorded["controls"] += controls_of(database, issues)
    sections = [
        json.dumps(name) + ": [\n" + ",\n".join(json.dumps(row, sort_keys=True) for row in rows) + "\n]"
        for name, rows in recorded.items()
    ]
    sys.stdout.write("{" + ",\n".join(sections) + "}\n")


if __name__ == "__main__":
    main()
