"""Runs every planted program in a warm worker of its own, forked from one that has run none, and tells the answers as
JSON: state_child.py SOURCES MODULE FOLDER."""

import json
import os
import sys
import tempfile

sources, module, folder = sys.argv[1:4]
sys.path[:0] = [sources, os.path.join(os.path.dirname(sources), "shared"), module]

import parityd_worker  # noqa: E402
import planted  # noqa: E402
import serve  # noqa: E402
import state  # noqa: E402
import torch  # noqa: E402,F401
from artefact import read  # noqa: E402

PROGRAM = """
import os
import torch
import torch._dynamo
import torch._inductor.config
import torch._inductor.lowering

PLANTED = {planted!r}

class Model(torch.nn.Module):
    def forward(self, x):
        exec(PLANTED, globals())
        return [str(eval({probe!r}, globals()))]

def get_inputs():
    return [1]
"""


class Harness:
    """A worker that writes into a file, and what came of one program."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.answers = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.reading, _ = os.pipe()
        self.worker = serve.Worker(self.channel(), {}, "")
        self.worker.prepare()
        self.number = 0

    def channel(self):
        return parityd_worker.Channel(self.reading, self.file.fileno())

    def run(self, statement, probe="0"):
        self.number += 1
        file = f"{folder}/{os.getpid()}-{self.number}"
        message = {"id": self.number, "program": PROGRAM.format(planted=statement, probe=probe), "file": file + ".py",
                   "modes": ["eager"], "choose_compiled": False, "device": "cpu", "seed": 7, "fresh": False,
                   "artefacts": file, "neutralisers": []}  # fmt: skip
        start = self.file.seek(0, os.SEEK_END)
        self.worker.run(message)
        self.file.seek(start)
        lines = [json.loads(line) for line in self.file.read().splitlines()]
        answer = next(line for line in lines if line.get("type") == "result")
        header, _ = read(file + "/eager.run")
        values = [leaf["value"] for leaf in header["leaves"] if leaf["path"] == "output[0]"]
        error = answer["evidence"]["outcomes"]["eager"].get("error")
        return {"tainted": answer["tainted"], "value": values, "error": error and error["traceback"]}

    def in_child(self, work):
        """What `work` returns in a forked child, which finds no descriptor that the first check did not see."""
        self.answers.seek(0)
        self.answers.truncate()
        child = os.fork()
        if child == 0:
            try:
                self.parents = self.worker.channel  # would close the descriptors
                self.worker.channel = self.channel()
                parityd_worker.adopt_orphans()
                self.answers.write(json.dumps(work()))
                self.answers.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        state.end_leftover_processes()
        self.answers.seek(0)
        text = self.answers.read()
        return json.loads(text) if text else None

    def restored(self, statement, probe):
        before = self.run("", probe)
        during = self.run(statement, probe)
        return [before, during, self.run("", probe)]

    def tainting(self, statement):
        return [self.run(statement)]

    def left(self, statement):
        """What the program's own check finds, and then a check of everything."""
        tainted = self.run(statement)["tainted"]
        start = self.file.seek(0, os.SEEK_END)
        self.worker.check({"id": 0})
        self.file.seek(start)
        return [tainted, json.loads(self.file.read())["changed"]]


def main():
    harness = Harness()
    answers = {"restored": {}, "tainting": {}, "later": {}}
    for name, (statement, probe) in planted.RESTORED.items():
        answers["restored"][name] = harness.in_child(lambda s=statement, p=probe: harness.restored(s, p))
    for name, (statement, _) in planted.TAINTING.items():
        answers["tainting"][name] = harness.in_child(lambda s=statement: harness.tainting(s))
    for name, (statement, _) in planted.TAINTING_LATER.items():
        answers["later"][name] = harness.in_child(lambda s=statement: harness.left(s))
    with open(f"{folder}/answers.json", "w", encoding="utf-8") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main()
