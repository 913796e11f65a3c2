"""Measures the grouping on programs whose cause is known: files named CAUSE__N.py, imported and run by the daemon.

    parityd --state STATE import DIR/*.py && parityd --state STATE run --provider none --drain
    grouping.py STATE [--json]

Pairs of programs of one cause ought to be in one finding (recall), pairs in one finding ought to have one cause
(precision). Programs without a finding are listed apart: that is the oracle's matter. A program may show several
findings; two programs count as together if they share one.
"""

import argparse
import collections
import itertools
import json
import pathlib
import sqlite3
import sys


def occurrences(database: pathlib.Path) -> tuple[dict[str, set[int]], dict[str, str]]:
    """The findings of each imported program, and what became of those without."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    findings: dict[str, set[int]] = collections.defaultdict(set)
    rows = connection.execute(
        "WITH RECURSIVE family(id, first) AS ("
        "  SELECT id, id FROM programs WHERE origin = 'import'"
        "  UNION SELECT p.id, f.first FROM programs p JOIN family f ON p.parent = f.id)"
        " SELECT first.source, o.finding FROM v_occurrences o JOIN family ON family.id = o.program"
        " JOIN programs first ON first.id = family.first"
    )
    for source, finding in rows:
        findings[pathlib.Path(source).stem].add(finding)
    verdicts = connection.execute("SELECT source, verdict, why FROM programs WHERE origin = 'import'")
    rest = {pathlib.Path(s).stem: f"{v}: {why}" for s, v, why in verdicts if pathlib.Path(s).stem not in findings}
    return dict(findings), rest


def pairs(findings: dict[str, set[int]]) -> dict[str, int]:
    count = {"both": 0, "only_cause": 0, "only_finding": 0}
    for one, other in itertools.combinations(sorted(findings), 2):
        same_cause = one.split("__")[0] == other.split("__")[0]
        together = bool(findings[one] & findings[other])
        if same_cause and together:
            count["both"] += 1
        elif same_cause:
            count["only_cause"] += 1
        elif together:
            count["only_finding"] += 1
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    findings, rest = occurrences(arguments.state / "parityd.db")
    count = pairs(findings)
    causes: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for name, found in findings.items():
        causes[name.split("__")[0]].update(found)
    result = {
        "programs": len(findings),
        "causes": len(causes),
        "findings": len(set().union(*findings.values())) if findings else 0,
        "precision": count["both"] / max(1, count["both"] + count["only_finding"]),
        "recall": count["both"] / max(1, count["both"] + count["only_cause"]),
        **count,
    }
    if arguments.json:
        print(json.dumps({**result, "by_cause": {c: dict(f) for c, f in causes.items()}, "without": rest}))
        return 0
    for cause, found in sorted(causes.items()):
        print(f"{cause:34} " + ", ".join(f"#{finding} × {times}" for finding, times in found.most_common()))
    for name, what in sorted(rest.items()):
        print(f"{name:34} no finding: {what}")
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
