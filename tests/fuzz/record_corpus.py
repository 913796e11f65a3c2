"""Records the corpus from a real worker: every type of message it sends, and the artefact files it writes.

record_corpus.py LAUNCHER PYTHON MODULE_FOLDER SOURCES_FOLDER

Run it by hand when the protocol changes, and commit what it wrote beside this file. Paths and machines are scrubbed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
KEPT_TEXT = 300

RUNS = """
import torch

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.register_buffer("seen", torch.zeros(2, dtype=torch.int64))

    def forward(self, x):
        y = self.linear(x)
        self.seen += 1
        return {"y": y, "half": y.to(torch.bfloat16), "shape": y.shape, "sparse": torch.eye(2).to_sparse()}


def get_inputs():
    return [torch.randn(4, 3)]
"""

RAISES = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.mm(x, x)


def get_inputs():
    return [torch.randn(2, 3)]
"""

DIES = """
import os

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        os._exit(3)


def get_inputs():
    return [torch.randn(2)]
"""


class Worker:
    def __init__(self, launcher, python, module, sources, scratch):
        command = [launcher, "--sandbox", "none", "--python", python, "--module", module, "--sources", sources]
        command += ["--scratch", scratch, "--cache", f"{scratch}/cache"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self, last):
        """Everything up to the first message of that type."""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the worker ended before it said {last}")
            self.lines.append(json.loads(line))
            if self.lines[-1]["type"] == last:
                return


def run(program, number, scratch, **more):
    message = {"choose_compiled": True, "device": "cpu", "seed": 1, "type": "run", "neutralisers": []}
    where = {"file": f"{scratch}/p{number}.py", "modes": ["eager", "inductor"]}
    return {**message, **where, "id": number, "program": program, **more}


def record_warm(worker, scratch):
    worker.hear("hello")
    worker.send(type="prime", device="cpu", fork_parent=False)
    worker.hear("primed")
    for number, program in enumerate((RUNS, RAISES)):
        worker.send(**run(program, number, scratch, fresh=False, artefacts=""))
        worker.hear("result")
    worker.send(type="check", id=3)
    worker.hear("checked")
    worker.send(type="nonsense", id=4)
    worker.hear("error")
    worker.send(type="shutdown")
    worker.process.wait()


def record_fresh(worker, scratch):
    """Returns the folder of the artefacts."""
    worker.hear("hello")
    worker.send(type="prime", device="cpu", fork_parent=True)
    worker.hear("primed")
    artefacts = f"{scratch}/artefacts"
    tool = {"tool": "guards", "device": "cpu", "seed": 1, "seconds": 60, "output": f"{scratch}/guards"}
    composed = {"compose": 2, "composing": 1, "seed": 1}
    jobs = (
        run(RUNS, 5, scratch, fresh=True, artefacts=artefacts),
        run(DIES, 6, scratch, fresh=True, artefacts=artefacts),
        {"type": "inspect", "id": 7, "program": RUNS, "file": f"{scratch}/p7.py", **tool},
        {"type": "screen", "id": 8, "programs": [RUNS, RAISES], "file": f"{scratch}/p8.py", **composed},
        {"type": "environment", "id": 9},
    )
    for job in jobs:
        worker.process.stdin.write(f'{{"id":{job["id"]},"type":"fork"}}\n')
        worker.send(**job)
        worker.hear("ended")
    worker.send(type="shutdown")
    worker.process.wait()
    return artefacts


def scrubbed(value):
    if isinstance(value, dict):
        return {key: scrubbed(child) for key, child in value.items()}
    if isinstance(value, list):
        return [scrubbed(child) for child in value]
    if isinstance(value, str):
        return re.sub(r"(/[\w.+-]+){2,}/", "/folder/", value)[:KEPT_TEXT]
    return value


def main():
    launcher, python, module, sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        warm = Worker(launcher, python, module, sources, f"{scratch}/warm")
        record_warm(warm, scratch)
        parent = Worker(launcher, python, module, sources, f"{scratch}/parent")
        artefacts = pathlib.Path(record_fresh(parent, scratch))
        frames = HERE / "corpus" / "frames"
        frames.mkdir(parents=True, exist_ok=True)
        for old in frames.glob("valid-*"):
            old.unlink()
        counts = {}
        for message in map(scrubbed, warm.lines + parent.lines):
            if "device_names" in message:
                message["device_names"] = {"cpu": "a processor"}
            kind = message["type"]
            number = counts[kind] = counts.get(kind, 0) + 1
            if kind in ("result", "ended", "error") or number == 1 or (kind == "primed" and number == 2):
                (frames / f"valid-{kind}-{number}").write_text(json.dumps(message) + "\n")
        kept = HERE / "corpus" / "artefacts"
        kept.mkdir(parents=True, exist_ok=True)
        for file in artefacts.glob("*.run"):
            (kept / f"valid-{file.stem}").write_bytes(file.read_bytes())


if __name__ == "__main__":
    main()
