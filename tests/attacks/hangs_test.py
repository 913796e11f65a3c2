"""Hostile programs (hangs/) that hang where the worker asks their objects something after the model: each is invalid
after one examination, which is one deadline, and the honest programs among them are judged as ever. `few` takes one of
each kind: an output that is looked into, the text of an error, of the compiled run's alone, what ends with its module.
"""

import argparse
import contextlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HONEST = {"000_honest": "consistent", "999_fault": "inconsistent"}
FEW = ("attribute", "compiled_only", "error_text", "finalizer")
# Deadlines that honest steps keep on a busy machine.
CONFIG = """
[run]
provider = "none"

[executor]
workers = 2
program_deadline_seconds = 12
compile_deadline_seconds = 100

[oracle]
confirmation_rounds = 1
reduction_seconds = 5
"""


def hostile(which: str) -> list[pathlib.Path]:
    return sorted(file for file in (HERE / "hangs").glob("*.py") if which == "all" or file.stem in FEW)


def run(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    (folder / "parityd.toml").write_text(CONFIG)
    start = [arguments.parityd, "--state", str(folder / "state"), "--config", str(folder / "parityd.toml")]
    honest = [HERE / "replies" / f"{name}.py" for name in HONEST]
    subprocess.run([*start, "import", *map(str, [*hostile(arguments.which), *honest])], check=True)
    daemon = subprocess.Popen([*start, "run", "--python", arguments.python, "--drain"])
    try:
        while daemon.poll() is None and not all_judged(folder, len(hostile(arguments.which)) + len(HONEST)):
            time.sleep(0.5)
        daemon.terminate()  # what else it would learn of the fault is nobody's question here
        daemon.wait()
    finally:
        daemon.kill()


def database_of(folder: pathlib.Path) -> contextlib.closing:
    return contextlib.closing(sqlite3.connect(f"file:{folder}/state/parityd.db?mode=ro", uri=True))


def all_judged(folder: pathlib.Path, programs: int) -> bool:
    """The fault shows itself in confirmation, the others end with a verdict."""
    query = "SELECT count(*) FROM programs WHERE state = 'finished' OR confirmation_hits > 0"
    with (
        contextlib.suppress(sqlite3.OperationalError),  # it is at work there
        database_of(folder) as database,
    ):
        return database.execute(query).fetchone() == (programs,)
    return False


def told(database: sqlite3.Connection, program: pathlib.Path) -> tuple[str, str, int]:
    """Its verdict and rule, and how often it was examined."""
    first = program.read_text().splitlines()[0].strip('"')
    query = """SELECT CASE WHEN t.confirmation_hits > 0 THEN 'inconsistent' ELSE p.verdict END, p.rule,
               (SELECT count(*) FROM examinations e WHERE e.program = p.id)
               FROM v_programs p JOIN programs t USING (id) WHERE t.text LIKE ?"""
    row = database.execute(query, (f"%{first[:60]}%",)).fetchone()
    return row or ("never run", "", 0)


def wrong_ones(folder: pathlib.Path, which: str) -> list[str]:
    with database_of(folder) as database:
        found = {program.stem: told(database, program) for program in hostile(which)}
        wrong = [f"{name}: {each}" for name, each in found.items() if each != ("invalid", "outcome.own_hang", 1)]
        for name, verdict in HONEST.items():
            honest = told(database, HERE / "replies" / f"{name}.py")
            wrong += [f"{name}: {honest}"] if honest[0] != verdict else []
        return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("few", "all"))
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, pathlib.Path(folder))
        wrong = wrong_ones(pathlib.Path(folder), arguments.which)
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
