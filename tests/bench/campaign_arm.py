"""The arms of a campaign: who writes the programs, and the folder of one arm."""

import collections.abc
import contextlib
import dataclasses
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
from typing import Any

TESTS = pathlib.Path(__file__).resolve().parents[1]
PROMPTS = TESTS.parent / "prompts"
FALLBACK = "operators"  # parityd demands a strategy that reads nothing
READERS = ("source", "source_kin", "source_promises", "source_samples", "source_outcomes")


@dataclasses.dataclass(frozen=True)
class Kind:
    provider: str
    settings: str = ""  # of the configuration
    answered: str = "nobody"  # "replies": recorded ones, each once; "letters": as they are written
    strategies: tuple[str, ...] = ()  # that are used; none named: all
    compares: bool = False  # with the torch of --previous


NO_MUTANTS = "run.mutant_share = 0"
KINDS = {
    "builtin": Kind("builtin"),
    "bred": Kind("bred"),
    "compiled": Kind("builtin", "oracle.compile_sample = 1"),
    "replies": Kind("standin", NO_MUTANTS, "replies"),
    "mutants": Kind("standin", answered="replies"),
    "source": Kind("standin", NO_MUTANTS, "letters", READERS),
    "diff": Kind("standin", NO_MUTANTS, "letters", ("source_diff", "source_outcomes"), compares=True),
}
CONFIG = """
run.provider = "{provider}"
{settings}
prompts.folders = ["{prompts}"]
known.max_age = "999d"  # nothing is filed
[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "recorded"
price = {{ input = {price[0]}, output = {price[1]} }}
max_in_flight = 16
max_output_tokens = 16000
total_timeout_seconds = 86400
"""


class Arm:
    """One arm's folder: its database, how long it ran, samples of what was busy, the other fuzzer's reports."""

    def __init__(self, folder: pathlib.Path, name: str) -> None:
        self.name, self.kind, self.folder = name, KINDS[name], folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state, self.journal = self.folder / "state", self.folder / "journal.jsonl"
        self.used, self.reports = self.folder / "use.jsonl", self.folder / "usual.jsonl"
        self.clock, self.letters = self.folder / "seconds.json", self.folder / "letters"

    def seconds(self) -> dict[str, float]:
        read = json.loads(self.clock.read_text()) if self.clock.exists() else {}
        return {"daemon": 0.0, "drain": 0.0, "usual": 0.0, **read}

    def add_seconds(self, who: str, seconds: float) -> None:
        self.clock.write_text(json.dumps({**self.seconds(), who: self.seconds()[who] + seconds}))

    def rows(self, question: str) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(f"file:{self.state / 'parityd.db'}?mode=ro", uri=True)) as database:
            return database.execute(question).fetchall()

    def configuration(self, port: int, price: tuple[float, float], previous: pathlib.Path | None) -> pathlib.Path:
        settings = self.kind.settings
        if self.kind.compares:
            settings += f'\nversions.previous = "{previous}"'
        prompts = self.folder / "prompts"
        write_strategies(prompts / "strategies", self.kind.strategies)
        text = CONFIG.format(
            provider=self.kind.provider, settings=settings, prompts=prompts.resolve(), port=port, price=price
        )
        file = self.folder / "parityd.toml"
        file.write_text(text)
        return file


def write_strategies(folder: pathlib.Path, used: tuple[str, ...]) -> None:
    """Copies of all others that are never chosen, or hardly ever."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (PROMPTS / "strategies").glob("*.md"):
        if used and file.stem not in used:
            _, head, text = file.read_text().split("---\n", 2)
            head = re.sub(r"^weight:.*\n", "", head, flags=re.MULTILINE)
            (folder / file.name).write_text(f"---\n{head}weight: {0.001 if file.stem == FALLBACK else 0}\n---\n{text}")


def lines(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@contextlib.contextmanager
def api(arm: Arm, replies: pathlib.Path | None) -> collections.abc.Iterator[int]:
    """The port of a stand-in API. A recorded reply is given once, and when all are used, it asks to come back in an
    hour."""
    rules: list[dict[str, Any]] = []
    if arm.kind.answered == "replies":
        given = {entry["file"] for entry in lines(arm.journal) if entry["event"] == "sent"}
        files = [file.resolve() for file in sorted(replies.rglob("*.md")) if str(file.resolve()) not in given]
        rules.append({"match": "failed in eager mode", "reply": "I cannot mend this.", "times": 10**9})
        rules += [{"reply_file": str(file)} for file in files]
        body = {"message": "used up"}
        rules.append({"status": 429, "headers": {"Retry-After": "3600"}, "body": body, "times": 10**9})
    script = arm.folder / "script.json"
    script.write_text(json.dumps(rules))
    command = [sys.executable, str(TESTS / "llm_server" / "server.py"), "--port", "0", "--until-stdin-ends"]
    command += ["--script", str(script), "--journal", str(arm.journal)]
    command += ["--letters", str(arm.letters)] if arm.kind.answered == "letters" else []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield int(server.stdout.readline().split()[-1])
        server.stdin.close()
