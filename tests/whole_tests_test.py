"""What comes twice, one by one for people (label `case`) and whole for CI (`ctest -C Whole`), is the same: each case is
covered by one whole test, which has its labels, and each test case of a Catch2 binary is a case of ctest's.

python whole_tests_test.py --build BUILD --ctest CTEST
"""

import argparse
import collections
import pathlib
import re
import subprocess

from ctest_listing import covered_by, labels_of, tests_of


def uncovered(tests: dict[str, dict], covers: dict[str, re.Pattern]) -> list[str]:
    wrong = []
    for name, test in tests.items():
        whole = [each for each, pattern in covers.items() if pattern.search(name)]
        labels = labels_of(test)
        if "case" in labels and len(whole) != 1:
            wrong.append(f"the case '{name}' is covered by {len(whole)} whole tests")
        elif "case" in labels and not labels - {"case"} <= labels_of(tests[whole[0]]):
            wrong.append(f"'{whole[0]}' lacks labels of its case '{name}': {sorted(labels)}")
    return wrong


def listed(binary: str) -> list[str]:
    """The names of its test cases; Catch2 3 has another option for it."""
    for words in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        told = subprocess.run([binary, *words], capture_output=True, text=True, check=False).stdout
        if names := [line for line in told.splitlines() if line.strip()]:
            return names
    raise AssertionError(f"{binary} lists no tests")


def unlisted(tests: dict[str, dict], covers: dict[str, re.Pattern]) -> list[str]:
    """CMake splits a name at a semicolon, and Catch2 is content to run nothing."""
    wrong = []
    for whole in covers:
        command = tests[whole]["command"]
        if "--durations" in command:
            there = collections.Counter(name.strip() for name in listed(command[0]))
            here = collections.Counter(
                name.partition(":")[2].strip()
                for name, test in tests.items()
                if "case" in labels_of(test) and test["command"][0] == command[0]
            )
            wrong += [f"{whole}: '{name}' is no test of ctest's" for name in there - here]
            wrong += [f"{whole}: '{name}' of ctest's is no test case" for name in here - there]
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--ctest", required=True)
    arguments = parser.parse_args()
    covers = covered_by(arguments.build)
    tests = {test["name"]: test for test in tests_of(arguments.build, arguments.ctest, "-C", "Whole")}
    assert len(covers) > 30 and len(tests) > 1000, (len(covers), len(tests))
    wrong = [f"{name} is not built" for name in covers if name not in tests]
    wrong = wrong or uncovered(tests, covers) + unlisted(tests, covers)
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(f"{len(covers)} whole tests cover every case")


if __name__ == "__main__":
    main()
