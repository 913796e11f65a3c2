"""Programs that tell eager from compiled by the harness, not by compilation (tellers/): confirmed in fresh processes,
and never ready, because their stand-alone scripts do not show it. `few` judges some, `check` all and a true
fault; `daemon` takes two of them and the fault, which is ready once its script was run."""

import argparse
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FAULT = HERE / "replies" / "999_fault.py"
HELD = HERE / "tellers" / "class_name.py"  # by the table, too: no script is run
DENIED = HERE / "tellers" / "modules.py"
FEW = ("frame_names",)
EXPECTED = {"held": "held(rounding)", "denied": "held(tampered)", "fault": "ready"}
CONFIG = """
[run]
mutant_share = 0

[executor]
workers = 2
spares = 0

[oracle]
confirmation_rounds = 1
reduction_seconds = 5

[disposition]
stale = "pass"
"""


def check(arguments: argparse.Namespace) -> list[str]:
    files = [*sorted((HERE / "tellers").glob("*.py")), FAULT]
    files = [file for file in files if arguments.what == "check" or file.stem in FEW]
    run = [arguments.parityd, "check", "--json", "--python", arguments.python, *map(str, files)]
    told = subprocess.run(run, capture_output=True, check=False, text=True)
    seen = {pathlib.Path(line["file"]).stem: line for line in map(json.loads, told.stdout.splitlines())}
    wrong = [] if len(seen) == len(files) else [f"{len(seen)} judged: {told.stderr[-2000:]}"]
    for name, line in seen.items():
        print(name, line["verdict"], line["disposition"], line["script"])
        expected = {FAULT.stem: "ready", HELD.stem: "held(rounding)"}.get(name, "held(tampered)")
        if line["disposition"] != expected:
            wrong.append(f"{name} is {line['verdict']}, {line['disposition']}, not {expected}")
    return wrong


class Daemon:
    def __init__(self, arguments: argparse.Namespace, folder: pathlib.Path) -> None:
        (folder / "parityd.toml").write_text(CONFIG)
        self.start = [arguments.parityd, "--state", str(folder / "state"), "--config", str(folder / "parityd.toml")]
        self.python = arguments.python
        self.database = folder / "state/parityd.db"

    def words(self, *words: str) -> str:
        return subprocess.run([*self.start, *words], capture_output=True, check=True, text=True).stdout

    def run_until(self, expected: list[str]) -> list[tuple[int, str, int]]:
        """What findings were while it ran: number, disposition, runs of the script. What else it would learn of them
        is nobody's question here."""
        run = [*self.start, "run", "--provider", "none", "--drain", "--python", self.python]
        seen: list[tuple[int, str, int]] = []
        daemon = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while daemon.poll() is None:
                now = self.dispositions()
                seen += [row for row in now if row not in seen]
                if sorted(disposition for _, disposition, _ in now) == expected:
                    break
                time.sleep(0.1)
        finally:
            daemon.kill()
            daemon.wait()
        return seen

    def dispositions(self) -> list[tuple]:
        query = "SELECT f.id, f.disposition, (SELECT count(*) FROM inspections i WHERE i.finding = f.id AND i.tool = "
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(self.read()) as database:
            return database.execute(query + "'script') FROM findings f").fetchall()
        return []

    def read(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)


def daemon(arguments: argparse.Namespace) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(arguments, pathlib.Path(folder))
        print(daemon.words("import", str(HELD), str(DENIED), str(FAULT)))
        seen = daemon.run_until(sorted(EXPECTED.values()))
        findings = json.loads(daemon.words("findings", "--json"))
        shown = {each["id"]: daemon.words("show", str(each["id"])) for each in findings}
    print(seen)
    wrong = [f"ready before its script ran: {row}" for row in seen if row[1] == "ready" and row[2] == 0]
    dispositions = {}
    for finding in findings:
        name = (
            "held" if "OWNED" in finding["title"] else "denied" if "parityd_worker" in finding["reduced"] else "fault"
        )
        dispositions[name] = finding["disposition"]
        if name == "denied" and "== run alone: exit status 1" not in shown[finding["id"]]:
            wrong.append("what its script printed is not shown")
    print(dispositions)
    if dispositions != EXPECTED:
        wrong.append(f"they became {dispositions}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("few", "check", "daemon"))
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    wrong = daemon(arguments) if arguments.what == "daemon" else check(arguments)
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
