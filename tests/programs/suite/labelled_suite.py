"""Judges a folder of labelled programs with `parityd check` and prints what was found, what was missed, what was false.

    labelled_suite.py --parityd build/release/bin/parityd --python P FOLDER

FOLDER holds programs (.py) or replies (.md) and a truth.json of one of three shapes:
  {NAME: {"verdict": …, "kind": …}}                            tests/programs
  {"old": VERSION, "new": VERSION, "programs": [{"id": NAME, "expect_old": …, "expect_new": …, "kind": …}]}
  {"programs": {NAME: {"label": "bug" | …}}}                   labels of replies
The second speaks of two versions of torch: older ones than the first are judged by it, newer ones than the second by
that; between them only programs count of which both say the same. `--results FILE` keeps the verdicts; with
`--no-run` they are read from there. Exit code: 0 all right, 1 something missed, false or not judged, 3 parityd failed.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ANY_KIND = "any kind"


@dataclass(frozen=True)
class Label:
    """What is true of one program."""

    inconsistent: bool
    kind: str | None = None  # of an inconsistency; None: the truth does not say


@dataclass
class Score:
    found: dict[str, int]
    wanted: dict[str, int]
    missed: list[str]
    false: list[str]
    other_kind: list[str]
    not_judged: list[str]
    negatives: int

    @property
    def right(self) -> bool:
        return not (self.missed or self.false or self.not_judged)


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])


def expected_of(entry: dict, truth: dict, torch: str) -> str | None:
    if version(torch) <= version(truth["old"]):
        return entry["expect_old"]
    if version(torch) >= version(truth["new"]):
        return entry["expect_new"]
    return entry["expect_old"] if entry["expect_old"] == entry["expect_new"] else None


def labels_of(truth: dict, torch: str) -> dict[str, Label]:
    """Labels by program; programs of which the truth says nothing for this torch are left out."""
    programs = truth.get("programs")
    if isinstance(programs, list):
        expected = {entry["id"]: (expected_of(entry, truth, torch), entry["kind"]) for entry in programs}
        known = {name: pair for name, pair in expected.items() if pair[0] is not None}
        return {name: labelled(verdict == "inconsistent", kind) for name, (verdict, kind) in known.items()}
    if isinstance(programs, dict) and all("label" in entry for entry in programs.values()):
        return {name: labelled(entry["label"] == "bug", None) for name, entry in programs.items()}
    return {name: labelled(entry["verdict"] == "inconsistent", entry.get("kind")) for name, entry in truth.items()}


def labelled(inconsistent: bool, kind: str | None) -> Label:
    return Label(inconsistent, kind if inconsistent else None)


def described(seen: dict) -> str:
    kind = f" ({seen['kind']})" if seen.get("kind") else ""
    return f"{seen['verdict']}{kind} [{seen['rule']}] {seen['explanation']}"[:200]


def score(labels: dict[str, Label], verdicts: dict[str, dict]) -> Score:
    result = Score(collections.Counter(), collections.Counter(), [], [], [], [], 0)
    for name, label in sorted(labels.items()):
        seen = verdicts.get(name)
        kind = label.kind or ANY_KIND
        result.wanted[kind] += label.inconsistent
        result.negatives += not label.inconsistent
        if seen is None:
            result.not_judged.append(name)
        elif label.inconsistent and seen["verdict"] != "inconsistent":
            result.missed.append(f"{name}: {described(seen)}")
        elif label.inconsistent:
            result.found[kind] += 1
            if label.kind not in (None, seen["kind"]):
                result.other_kind.append(f"{name}: {label.kind} expected, {seen['kind']} [{seen['rule']}] seen")
        elif seen["verdict"] == "inconsistent":
            result.false.append(f"{name}: {described(seen)}")
    return result


def false_by_rule(labels: dict[str, Label], verdicts: dict[str, dict]) -> collections.Counter:
    seen = [verdicts[name] for name, label in labels.items() if not label.inconsistent and name in verdicts]
    return collections.Counter((each["kind"], each["rule"]) for each in seen if each["verdict"] == "inconsistent")


def table(labels: dict[str, Label], verdicts: dict[str, dict]) -> str:
    result = score(labels, verdicts)
    lines = [f"{'kind':<16}{'found':>8}{'of':>6}{'recall':>9}"]
    kinds = [kind for kind in sorted(result.wanted) if result.wanted[kind]]
    for kind in kinds:
        found, wanted = result.found[kind], result.wanted[kind]
        lines.append(f"{kind:<16}{found:>8}{wanted:>6}{found / wanted:>9.1%}")
    found, wanted = sum(result.found.values()), sum(result.wanted.values())
    lines.append(f"{'all':<16}{found:>8}{wanted:>6}{found / wanted if wanted else 1:>9.1%}")
    lines.append(f"false positives: {len(result.false)} of {result.negatives} negatives")
    for (kind, rule), count in sorted(false_by_rule(labels, verdicts).items()):
        lines.append(f"  {count} {kind} by {rule}")
    for title, names in (
        ("missed", result.missed),
        ("false positive", result.false),
        ("found as another kind", result.other_kind),
        ("not judged", result.not_judged),
    ):
        lines += [f"{title}: {name}" for name in names]
    return "\n".join(lines)


def verdicts_in(results: pathlib.Path) -> dict[str, dict]:
    return {pathlib.Path(line["file"]).stem: line for line in map(json.loads, results.read_text().splitlines())}


def judge(arguments: argparse.Namespace, names: list[str]) -> int:
    files = [file for name in names for file in sorted(arguments.folder.glob(f"{name}.*")) if file.suffix != ".json"]
    command = [arguments.parityd, "check", "--json", "--python", arguments.python, "--device", arguments.device]
    with open(arguments.results, "w") as results:
        return subprocess.run([*command, *map(str, files)], stdout=results, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--parityd", default="parityd")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("labelled.jsonl"))
    parser.add_argument("--no-run", action="store_true", help="score the verdicts that --results holds already")
    parser.add_argument("--torch", help="version to judge by; default: that of --python")
    arguments = parser.parse_args()
    asked = [arguments.python, "-c", "import torch; print(torch.__version__)"]
    torch = arguments.torch or subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    truth = json.loads((arguments.folder / "truth.json").read_text())
    labels = labels_of(truth, torch)
    if not arguments.no_run and judge(arguments, list(labels)) not in (0, 1):
        return 3
    verdicts = verdicts_in(arguments.results)
    print(f"torch {torch}, {len(labels)} labelled programs of {arguments.folder}")
    print(table(labels, verdicts))
    return 0 if score(labels, verdicts).right else 1


if __name__ == "__main__":
    sys.exit(main())
