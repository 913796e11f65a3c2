"""kill -9 at random times: nothing answered is lost, nothing is counted twice.

The daemon (real binary, real SQLite, fake worker, stand-in API over HTTP) is killed again and again; the journal that
the stand-in keeps says which replies were really sent. Prints its seed; `--seed N` repeats the kill times.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = """# fake: {deed}
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + {number}


def get_inputs():
    return [torch.ones(3)]
"""


def write_replies(folder: pathlib.Path, count: int) -> None:
    """Every fourth program is a suspect that the gate confirms, every fifth raises and is sent back for repair."""
    for number in range(count):
        deed = "sleep 0.02"
        if number % 4 == 1:
            deed = "value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0"
        elif number % 5 == 2:
            deed = f"raise eager ValueError shapes {number} do not fit\n# fake: raise inductor ValueError shapes"
        text = PROGRAM.format(deed=deed, number=number)
        (folder / f"{number:03}.md").write_text(f"```python\n{text}```\n")


def write_config(folder: pathlib.Path, port: int) -> pathlib.Path:
    config = folder / "parityd.toml"
    config.write_text(f"""
[run]
provider = "standin"

[executor]
python = "{sys.executable}"
device = "cpu"
workers = 2
launch = ["{ROOT}/tests/fake_worker/launch"]

[modes]
inductor = 100
backward = 0
dynamic = 0
fullgraph = 0
max_autotune = 0
reduce_overhead = 0

[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "stand-in"
max_in_flight = 4
price = {{ input = 0.1, output = 0.5 }}
""")
    return config


class Scene:
    def __init__(self, parityd: str, folder: pathlib.Path, replies: int) -> None:
        self.folder, self.parityd = folder, parityd
        (folder / "replies").mkdir()
        write_replies(folder / "replies", replies)
        self.journal = folder / "journal.jsonl"
        command = [sys.executable, str(ROOT / "tests/llm_server/server.py"), "--port", "0"]
        command += ["--replies", str(folder / "replies"), "--journal", str(self.journal)]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port = int(self.server.stdout.readline().split()[-1])
        self.config = write_config(folder, port)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))

    def daemon(self, *options: str) -> subprocess.Popen:
        command = [self.parityd, "--state", str(self.folder / "state"), "--config", str(self.config), "run", *options]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment
        )

    def database(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.folder}/state/parityd.db?mode=ro", uri=True)

    def sent(self) -> list[dict]:
        return [e for e in map(json.loads, self.journal.read_text().splitlines()) if e["event"] == "sent"]


def kill_again_and_again(scene: Scene, kills: int, rng: random.Random) -> None:
    for _ in range(kills):
        daemon = scene.daemon()
        time.sleep(rng.uniform(0.05, 0.9))
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()


def one(database: sqlite3.Connection, query: str) -> int:
    return database.execute(query).fetchone()[0]


def audit(scene: Scene) -> list[str]:
    """What must hold once the daemon has drained; one sentence for each thing that does not."""
    database = scene.database()
    wrong = []

    def must_be_zero(what: str, query: str) -> None:
        if count := one(database, query):
            wrong.append(f"{count} {what}")

    must_be_zero("damaged pages", "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'")
    must_be_zero("replies left reserved", "SELECT count(*) FROM replies WHERE state = 'reserved'")
    must_be_zero("answers never taken in", "SELECT count(*) FROM replies WHERE state = 'answered' AND processed = 0")
    must_be_zero("programs not finished", "SELECT count(*) FROM programs WHERE state != 'finished'")
    must_be_zero("identities twice", "SELECT count(*) - count(DISTINCT identity) FROM programs")
    must_be_zero("programs without a verdict", "SELECT count(*) FROM programs WHERE verdict IS NULL")
    must_be_zero("harness failures", "SELECT count(*) FROM harness_failures")
    must_be_zero("signatures twice", "SELECT count(*) - count(DISTINCT signature_hash) FROM findings")
    must_be_zero(
        "inconsistent programs that are not exactly one occurrence",
        "SELECT count(*) FROM programs p WHERE verdict = 'inconsistent' AND "
        "(SELECT count(*) FROM occurrences o WHERE o.program = p.id) != 1",
    )
    must_be_zero(
        "findings without a draft", "SELECT count(*) FROM findings WHERE id NOT IN (SELECT finding FROM drafts)"
    )
    answered = one(database, "SELECT count(*) FROM replies WHERE state = 'answered'")
    unknown = one(database, "SELECT count(*) FROM replies WHERE state = 'unknown'")
    sent = len(scene.sent())
    if not answered <= sent <= answered + unknown:
        wrong.append(f"{sent} replies were sent, but {answered} are stored and {unknown} are of unknown outcome")
    free = one(database, "SELECT count(*) FROM replies WHERE state = 'unknown' AND charged_nano_dollars = 0")
    if free:
        wrong.append(f"{free} requests of unknown outcome are not charged")
    programs = one(database, "SELECT count(*) FROM programs")
    findings = one(database, "SELECT count(*) FROM findings")
    print(f"{sent} replies sent, {answered} stored, {unknown} unknown, {programs} programs, {findings} findings")
    if findings == 0 or programs < 10:
        wrong.append("too little happened for this to be a test")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=400)
        try:
            kill_again_and_again(scene, arguments.kills, random.Random(arguments.seed))
            last = scene.daemon("--drain")
            output, _ = last.communicate(timeout=240)
            wrong = audit(scene)
            if last.returncode != 0:
                wrong.append(f"the last run ended with {last.returncode}: {output[-2000:]}")
        finally:
            scene.server.kill()
            scene.server.wait()
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
