#!/usr/bin/env python3
"""What CI's runs of ctest have recorded (--output-junit), and what follows from it.

record.py rest LOGS BUILD       numbers of BUILD's tests that did not pass under sanitizers, as `ctest -I` takes them
record.py report LOGS BUILD     seconds by stage, the dearest tests and files, what was skipped and why, what was raced;
                                exit code 1 if a test of BUILD was neither run nor skipped nor left out for its length

LOGS holds stages.txt (a name and its seconds a line), a <run>.xml for each run of ctest and its <run>.raced.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from ctest_listing import covered_by, labels_of, tests_of

DEAREST = 20
SANITIZED = "sanitizers"
# Catch2's --durations yes
CASE_DURATION = re.compile(r"^(\d+\.\d+) s: (.+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Ran:
    """A test in a run of ctest."""

    run: str
    name: str
    passed: bool
    seconds: float
    skipped: str  # why; empty: it was not
    output: str


def reason(output: str) -> str:
    said = re.search(r"SKIPPED:\s*(.+)", output)
    return said.group(1).strip() if said else "its reason is not told"


def record_of(file: pathlib.Path) -> list[Ran]:
    raced = set(file.with_suffix(".raced").read_text().splitlines()) if file.with_suffix(".raced").exists() else set()
    tests = []
    for test in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
        name, output = test.get("name", ""), test.findtext("system-out") or ""
        tests.append(
            Ran(
                run=file.stem,
                name=name,
                passed=test.get("status") == "run" or name in raced,
                seconds=float(test.get("time", 0)),
                skipped=reason(output) if test.find("skipped") is not None else "",
                output=output,
            )
        )
    return tests


def rest(logs: pathlib.Path, build: pathlib.Path) -> str:
    passed = {test.name for test in record_of(logs / f"{SANITIZED}.xml") if test.passed}
    numbers = [
        number
        for number, test in enumerate(tests_of(build, "ctest", "-C", "Whole"), 1)
        if not labels_of(test) & {"case", "long"} and test["name"] not in passed
    ]
    return ",".join(["0", "0", "0", *map(str, numbers)])


def table(title: str, rows: list[tuple[float, str]]) -> None:
    print(f"\n{title}")
    for seconds, what in rows:
        print(f"{seconds:8.1f}  {what}")


def stages(logs: pathlib.Path) -> list[tuple[float, str]]:
    lines = [line.rsplit(maxsplit=1) for line in (logs / "stages.txt").read_text().splitlines()]
    rows = [(float(seconds), name) for name, seconds in lines]
    return [*rows, (sum(seconds for seconds, _ in rows), "all")]


def dearest_cases(tests: list[Ran]) -> list[tuple[float, str]]:
    cases = [
        (float(seconds), f"{test.run}: {test.name}: {case}")
        for test in tests
        for seconds, case in CASE_DURATION.findall(test.output)
    ]
    return sorted(cases, reverse=True)[:DEAREST]


def dearest_files(build: pathlib.Path) -> list[tuple[float, str]]:
    """Of all builds beside BUILD, by ninja's own logs."""
    cost = {}
    for log in build.parent.glob("*/.ninja_log"):
        for line in log.read_text().splitlines()[1:]:
            start, end, _, target, _ = line.split("\t")
            cost[f"{log.parent.name}/{target}"] = (int(end) - int(start)) / 1000
    return sorted(((seconds, target) for target, seconds in cost.items()), reverse=True)[:DEAREST]


def run_nowhere(tests: list[Ran], build: pathlib.Path) -> tuple[int, list[str]]:
    """How many tests are known, and those that neither ran themselves nor as a part of a whole."""
    every = tests_of(build, "ctest", "-C", "Whole")
    covered = covered_by(build)

    def with_cases(names: set[str]) -> set[str]:
        patterns = [pattern for name, pattern in covered.items() if name in names]
        return names | {test["name"] for test in every if any(pattern.search(test["name"]) for pattern in patterns)}

    left_out = with_cases({test["name"] for test in every if "long" in labels_of(test)})
    ran = with_cases({test.name for test in tests})
    known = [test["name"] for test in every if test["name"] not in left_out]
    return len(known), [name for name in known if name not in ran]


def report(logs: pathlib.Path, build: pathlib.Path) -> int:
    tests = [test for file in sorted(logs.glob("*.xml")) for test in record_of(file)]
    table("seconds by stage", stages(logs))
    table(
        "the dearest tests",
        sorted(((test.seconds, f"{test.run}: {test.name}") for test in tests), reverse=True)[:DEAREST],
    )
    table("the dearest cases within them", dearest_cases(tests))
    table("the dearest files to build", dearest_files(build))
    passed = {test.name for test in tests if test.passed}
    skipped = collections.Counter(
        {test.name: test.skipped for test in tests if test.skipped and test.name not in passed}.values()
    )
    print(f"\nskipped: {skipped.total()} tests")
    for why, count in skipped.most_common():
        print(f"{count:8}  {why}")
    raced = [name for file in sorted(logs.glob("*.raced")) for name in file.read_text().splitlines()]
    print(f"\nraced: {len(raced)} tests that fail beside others and pass alone, each a defect to be mended")
    for name in raced:
        print(f"          {name}")
    if not all((logs / f"{run}.xml").exists() for run in (SANITIZED, "tests")):
        return 0  # it ended before
    known, missing = run_nowhere(tests, build)
    print(f"\n{known} tests are known, {known - len(missing)} ran, alone or in a whole; nowhere ran: {len(missing)}")
    for name in missing:
        print(f"          {name}")
    return 1 if missing else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rest", "report"])
    parser.add_argument("logs", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.what == "report":
        return report(arguments.logs, arguments.build)
    print(rest(arguments.logs, arguments.build))
    return 0


if __name__ == "__main__":
    sys.exit(main())
