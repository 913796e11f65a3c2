"""Rows of the table that need a whole daemon: hostile replies (replies/) one after another through one warm worker and
confirmation, with honest ones between them. `attack` runs the daemon and keeps what it left; `row NAME` looks at it."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent" / "daemon" / "scenes"))
from scene import ONE_MODE

HERE = pathlib.Path(__file__).resolve().parent
SERVER = HERE.parent / "llm_server" / "server.py"
CONFIG = """
[run]
provider = "standin"
mutant_share = 0

[executor]
workers = 1
spares = 1
cpu_share = 0.0

[oracle]
confirmation_rounds = 1
reduction_seconds = 5

[modes]
{one_mode}

[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "stand-in"
max_in_flight = 1
"""


def hostile_replies() -> list[pathlib.Path]:
    return sorted((HERE / "replies").glob("*.py"))


def command(arguments: argparse.Namespace, *words: str) -> list[str]:
    folder = arguments.results
    return [arguments.parityd, "--state", str(folder / "state"), "--config", str(folder / "parityd.toml"), *words]


def run_until_told(arguments: argparse.Namespace) -> int:
    """Its exit code. The last program's fault is only confirmed: what it vanishes with is nobody's question here."""
    count = len(hostile_replies())
    run = command(arguments, "run", "--python", arguments.python, "--programs", str(count))
    with (arguments.results / "output").open("wb") as output:
        daemon = subprocess.Popen(run, stdout=output, stderr=output)
        try:
            while daemon.poll() is None and not all_told(arguments.results / "state/parityd.db", count):
                time.sleep(0.2)
            daemon.terminate()
            return daemon.wait()
        finally:
            daemon.kill()


def all_told(database: pathlib.Path, count: int) -> bool:
    last = "id = (SELECT max(id) FROM programs) AND confirmation_hits > 0"
    query = f"SELECT count(*), sum(state = 'finished' OR ({last})) FROM programs"
    try:
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchone() == (count, count)
    except sqlite3.OperationalError:  # it has yet to make the file, or its tables
        return False


def attack(arguments: argparse.Namespace) -> int:
    folder = arguments.results
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as replies:
        for program in hostile_replies():
            text = f"```python\n{program.read_text()}```\n"
            pathlib.Path(replies, program.stem + ".md").write_text(text)
        words = [sys.executable, str(SERVER), "--port", "0", "--replies", replies, "--journal", str(folder / "journal")]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().split()[-1])
            (folder / "parityd.toml").write_text(CONFIG.format(port=port, one_mode=ONE_MODE))
            code = run_until_told(arguments)
        finally:
            server.kill()
            server.wait()
    for name, words in (("findings", ["findings"]), ("status", ["status"])):
        (folder / name).write_bytes(subprocess.run(command(arguments, *words), capture_output=True, check=False).stdout)
    findings = json.loads(
        subprocess.run(command(arguments, "findings", "--json"), capture_output=True, check=True).stdout
    )
    for finding in findings if isinstance(findings, list) else findings["findings"]:
        for word in ("show", "draft"):
            told = subprocess.run(command(arguments, word, str(finding["id"])), capture_output=True, check=False)
            (folder / f"{word}-{finding['id']}").write_bytes(told.stdout + told.stderr)
    print((folder / "output").read_text(errors="replace")[-2000:])
    return code


class Left:
    """What the daemon left behind."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.database = sqlite3.connect(f"file:{folder}/state/parityd.db?mode=ro", uri=True)

    def program(self, name: str) -> dict:
        """By its docstring's first line: the daemon keeps the text, normalised."""
        first = (HERE / "replies" / f"{name}.py").read_text().splitlines()[0].strip('"')
        columns = (
            "p.id, CASE WHEN p.confirmation_hits > 0 THEN 'inconsistent' ELSE p.verdict END, p.state, p.why, o.finding"
        )
        query = f"SELECT {columns} FROM programs p LEFT JOIN occurrences o ON o.program = p.id WHERE p.text LIKE ?"
        row = self.database.execute(query, (f"%{first[:60]}%",)).fetchone()
        assert row, f"{name} never reached the daemon"
        return dict(zip(("id", "verdict", "state", "why", "finding"), row, strict=True))

    def texts(self) -> dict[str, str]:
        """Everything a person may look at."""
        shown = [
            p for p in self.folder.iterdir() if p.name.startswith(("show", "draft", "findings", "status", "output"))
        ]
        return {path.name: path.read_bytes().decode(errors="surrogateescape") for path in shown}


def expect(left: Left, name: str, verdict: str) -> list[str]:
    found = left.program(name)
    wrong = [] if found["verdict"] == verdict else [f"{name} is {found['verdict']} ({found['why']}), not {verdict}"]
    if verdict == "consistent" and found["finding"]:
        wrong.append(f"{name} became finding {found['finding']}")
    return wrong


def forged_frames(left: Left) -> list[str]:
    failed = left.database.execute("SELECT text FROM harness_failures").fetchall()
    found = left.program("210_forged_frames")
    # Refused, with its worker: nothing it wrote is believed, in whichever way.
    wrong = [f"its finding {found['finding']} rests on forged frames"] if found["finding"] else []
    if found["verdict"] not in (None, "consistent"):
        wrong.append(f"a forged frame made it {found['verdict']}: {found['why']}")
    print(f"verdict {found['verdict']}; harness failures: {[why[:120] for (why,) in failed]}")
    return wrong


def patched_judges(left: Left) -> list[str]:
    return expect(left, "220_patched_judges", "inconsistent")


def patches_left_behind(left: Left) -> list[str]:
    return expect(left, "231_honest", "consistent") + expect(left, "999_fault", "inconsistent")


def poisoned_caches(left: Left) -> list[str]:
    return expect(left, "241_honest", "consistent") + expect(left, "999_fault", "inconsistent")


def hostile_text(left: Left) -> list[str]:
    wrong = expect(left, "280_hostile_text", "inconsistent")
    for name, text in left.texts().items():
        odd = re.findall(r"[\x00-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
        if odd:
            wrong.append(f"{name} holds {odd[:3]!r}")
        if max(map(len, text.splitlines() or [""])) > 20_000:
            wrong.append(f"{name} has a line of more than 20000 characters")
    drafts = [text for name, text in left.texts().items() if name.startswith("draft") and "core-team" in text]
    for text in drafts:
        outside = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1`*\s*$", "", text)
        outside = re.sub(r"(`+).*?\1", "", outside)
        for mark in ("@pytorch", "<script", "<img", "[click]"):
            if re.search(r"(?<!\\)" + re.escape(mark), outside):
                wrong.append(f"{mark!r} acts in a draft")
    return wrong if drafts else [*wrong, "no draft shows the hostile text: nothing was tested"]


def injected_prompt(left: Left) -> list[str]:
    sent = [json.loads(line) for line in (left.folder / "journal").read_text().splitlines()]
    prompts = [text for text in map(json.dumps, sent) if "print your API key" in text]
    if not prompts:
        return ["no repair prompt quoted the error: nothing was tested"]
    wrong = []
    for entry in sent:
        for message in entry.get("messages", []):
            text = message["content"]
            if "print your API key" in text:
                before = text[: text.index("print your API key")]
                fences = re.findall(r"(?m)^(`{3,}|~{3,})", before)
                longest = max(map(len, fences))
                opened = [fence for fence in fences if len(fence) == longest]
                if longest <= 3 or len(opened) % 2 == 0:
                    wrong.append("the error's text leaves its fence")
    return wrong


ROWS: dict[str, Callable[[Left], list[str]]] = {
    "21": forged_frames,
    "22": patched_judges,
    "23": patches_left_behind,
    "24": poisoned_caches,
    "28": hostile_text,
    "29": injected_prompt,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    attacking = commands.add_parser("attack")
    attacking.add_argument("--parityd", required=True)
    attacking.add_argument("--python", required=True)
    looking = commands.add_parser("row")
    looking.add_argument("name", choices=ROWS)
    for one in (attacking, looking):
        one.add_argument("--results", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if arguments.command == "attack":
        return attack(arguments)
    wrong = ROWS[arguments.name](Left(arguments.results))
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
