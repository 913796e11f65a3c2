"""Programs with known truth: `judge` runs `parityd check` over all of them once, `case NAME` compares one verdict,
`whole` does both. `long` in truth.json marks what resembles another program there: `--part usual` leaves it out,
`--part long` takes it alone.

By hand, for any torch and any folder with a truth.json of this shape:
    labelled_test.py judge --parityd build/release/bin/parityd --python P --results R.jsonl
    labelled_test.py all --results R.jsonl [--device cuda]
A truth that depends on the torch or the device holds what differs under the version ("2.14") or the device's name.
"""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def torch_version() -> str:
    """Of the torch beside this interpreter, as ./bootstrap --torch names it: 2.14. Empty: there is none."""
    try:
        return ".".join(importlib.metadata.version("torch").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return ""


def names(part: str) -> list[str]:
    truth = json.loads((HERE / "truth.json").read_text())
    return [name for name, expected in truth.items() if part in ("all", "long" if "long" in expected else "usual")]


def judge(arguments: argparse.Namespace) -> int:
    command = [arguments.parityd, "check", "--json", "--python", arguments.python]
    command += [str(HERE / f"{name}.py") for name in names(arguments.part)]
    with open(arguments.results, "w") as results:
        done = subprocess.run(command, stdout=results, check=False)
    return 0 if done.returncode in (0, 1) else done.returncode


def verdicts(results: str) -> dict:
    lines = pathlib.Path(results).read_text().splitlines()
    return {pathlib.Path(line["file"]).stem: line for line in map(json.loads, lines)}


def matches(expected: dict, seen: dict) -> bool:
    if expected["verdict"] == "not inconsistent":
        return seen["verdict"] != "inconsistent"
    exact = all(seen[name] == expected[name] for name in ("rule", "disposition") if name in expected)
    return exact and seen["verdict"] == expected["verdict"] and expected["kind"] in (None, seen["kind"])


def case(name: str, results: str, device: str) -> int:
    expected = json.loads((HERE / "truth.json").read_text())[name]
    expected = {**expected, **expected.get(torch_version(), {}), **expected.get(device, {})}
    seen = verdicts(results).get(name)
    if seen is None:
        print(f"{name}: no verdict was printed")
        return 1
    print(f"{name}: {seen['verdict']} {seen['kind'] or ''} [{seen['rule']}] {seen['explanation']}")
    if matches(expected, seen):
        return 0
    print(f"{name}: expected {expected['verdict']} {expected['kind'] or ''}")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    judging, whole = commands.add_parser("judge"), commands.add_parser("whole")
    for command in (judging, whole):
        command.add_argument("--part", choices=("all", "usual", "long"), default="all")
        command.add_argument("--parityd", required=True)
        command.add_argument("--python", required=True)
        command.add_argument("--results", required=True)
    one = commands.add_parser("case")
    one.add_argument("name")
    one.add_argument("--results", required=True)
    everything = commands.add_parser("all")
    everything.set_defaults(part="all")
    everything.add_argument("--results", required=True)
    for command in (whole, one, everything):
        command.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    if arguments.command == "judge":
        return judge(arguments)
    if arguments.command == "case":
        return case(arguments.name, arguments.results, arguments.device)
    if arguments.command == "whole" and (code := judge(arguments)):
        return code
    return max(case(name, arguments.results, arguments.device) for name in names(arguments.part))


if __name__ == "__main__":
    sys.exit(main())
