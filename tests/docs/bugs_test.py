"""Runs the scripts of docs/bugs with the torch that docs/found.md names: each does what its last line says, and nothing
if the compiler is off.

    bugs_test.py --python P [SCRIPT ...]
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

BUGS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "bugs"
TORCH = "2.14."
OFF = {"TORCHDYNAMO_DISABLE": "1", "TORCH_COMPILE_DISABLE": "1"}
DEADLINE = 600


def run(python: str, script: pathlib.Path, **more: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **more}
    return subprocess.run(
        [python, str(script)], capture_output=True, text=True, env=environment, check=False, timeout=DEADLINE
    )


def fault_of(python: str, script: pathlib.Path) -> str:
    """Why the script does not do what it says; empty: it does."""
    try:
        return disagreement(python, script)
    except subprocess.TimeoutExpired:
        return f"does not end within {DEADLINE} s"


def disagreement(python: str, script: pathlib.Path) -> str:
    said = script.read_text().splitlines()[-1].removeprefix("# ")
    error = said.removeprefix("raises ") if said.startswith("raises ") else ""
    done, off = run(python, script), run(python, script, **OFF)
    printed = done.stdout.splitlines()[-1:]
    if error and (done.returncode == 0 or error not in done.stderr):
        return f"does not raise {error}, but ends with {done.returncode}: {done.stderr.splitlines()[-1:]}"
    if not error and (done.returncode != 0 or printed != [said]):
        return f"prints {printed}, ends with {done.returncode}, and says {said}"
    if off.returncode != 0 or (said and said in off.stdout.splitlines()):
        return f"does the same without a compiler: {off.stdout.splitlines()[-1:]} {off.stderr.splitlines()[-1:]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("scripts", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    asked = [options.python, "-c", "import importlib.metadata as m; print(m.version('torch'))"]
    version = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not version.startswith(TORCH):
        print(f"SKIPPED: the scripts are about torch {TORCH}x, and {options.python} has {version or 'none'}")
        return 0
    scripts = options.scripts or sorted(BUGS.glob("*.py"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = dict(zip(scripts, pool.map(lambda script: fault_of(options.python, script), scripts), strict=True))
    for script, fault in faults.items():
        print(f"{script.name}: {fault or 'as it says'}")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
