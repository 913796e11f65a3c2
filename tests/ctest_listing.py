"""What ctest knows of a build, and which cases each of its whole tests covers."""

import json
import pathlib
import re
import subprocess


def tests_of(build: pathlib.Path, ctest: str, *options: str) -> list[dict]:
    """In ctest's order, which numbers them from one. `-C Whole`: the whole tests, too."""
    command = [ctest, "--test-dir", str(build), *options, "--show-only=json-v1"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tests"]


def labels_of(test: dict) -> set[str]:
    return {label for each in test.get("properties", []) if each["name"] == "LABELS" for label in each["value"]}


def covered_by(build: pathlib.Path) -> dict[str, re.Pattern]:
    """The names of its cases, for each whole test."""
    lines = (line.split("\t") for line in (build / "whole_tests.txt").read_text().splitlines())
    return {name: re.compile(pattern) for name, pattern in lines}
