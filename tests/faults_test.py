"""Each row of the fault matrix (faults.json) has a ctest test named "fault N: …" with label `faults`, or a sentence of
README.md or docs/ (its words in "sentences"); and each kind of fault is raised somewhere. store_test checks that the
kinds are the headings of docs/events*.md."""

import argparse
import json
import pathlib
import re

from ctest_listing import labels_of, tests_of

TEST = re.compile(r"(?:^|:) ?fault (\d+): \S")


def rows_with_tests(tests: list[dict]) -> tuple[set[int], list[str]]:
    """Rows that a test holds, and what is wrong with tests that say they hold one."""
    rows, wrong = set(), []
    for test in tests:
        if found := TEST.search(test["name"]):
            rows.add(int(found[1]))
            if "faults" not in labels_of(test):
                wrong.append(f"test '{test['name']}' lacks the label faults")
    return rows, wrong


def rows_with_sentences(root: pathlib.Path, sentences: dict[str, str]) -> set[int]:
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    text = " ".join(" ".join(page.read_text() for page in pages).split())
    return {int(number) for number, sentence in sentences.items() if sentence in text}


def kinds_raised(root: pathlib.Path) -> tuple[set[str], set[str]]:
    """All kinds, and those that some code beside their table names."""
    pages = "\n".join(page.read_text() for page in sorted((root / "docs").glob("events*.md")))
    headings = re.findall(r"^## (\w+)$", pages, re.MULTILINE)
    kinds, table = set(headings), root / "store/work/event_kind.cpp"
    sources = [path for folder in ("agent", "store") for path in (root / folder).rglob("*.cpp") if path != table]
    named = set(re.findall(r"EventKind::(\w+)", "\n".join(path.read_text() for path in sources)))
    return kinds, named & kinds


def problems(root: pathlib.Path, tests: list[dict]) -> list[str]:
    matrix = json.loads((root / "tests/faults.json").read_text())
    rows = {int(number): title for number, title in matrix["rows"].items()}
    assert sorted(rows) == list(range(1, 49)), "the matrix has 48 rows"
    tested, wrong = rows_with_tests(tests)
    held = tested | rows_with_sentences(root, matrix["sentences"])
    wrong += [f"fault {number} is none of the matrix" for number in sorted(held - set(rows))]
    missing = sorted(set(rows) - held)
    wrong += [f"fault {number} ({rows[number]}) has neither a test nor a sentence" for number in missing]
    kinds, raised = kinds_raised(root)
    assert len(kinds) > 50, f"docs/events*.md have only {sorted(kinds)}"
    wrong += [f"nothing raises {kind}" for kind in sorted(kinds - raised)]
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--ctest", required=True)
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    found = problems(root, tests_of(arguments.build, arguments.ctest))
    if found:
        raise SystemExit("\n".join(found))
    print("all 48 rows are held")


if __name__ == "__main__":
    main()
