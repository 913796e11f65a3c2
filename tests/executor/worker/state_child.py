"""Runs every planted program in a warm worker of its own, forked from one that has run none, and tells the answers as
JSON: state_child.py SOURCES MODULE FOLDER."""

import json
import os
import sys

sources, module, folder = sys.argv[1:4]
sys.path.insert(0, sources)
from worker_path import FOLDERS  # noqa: E402

sys.path[:0] = [*FOLDERS, module]

import planted  # noqa: E402
import torch  # noqa: E402,F401
from artefact import read  # noqa: E402
from forked_worker import ForkedWorker  # noqa: E402

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


class Harness(ForkedWorker):
    """What came of one program in it."""

    def __init__(self):
        super().__init__()
        self.worker.prepare()

    def run(self, statement, probe="0"):
        self.number += 1
        file = f"{folder}/{os.getpid()}-{self.number}"
        message = {"id": self.number, "program": PROGRAM.format(planted=statement, probe=probe), "file": file + ".py",
                   "modes": ["eager"], "choose_compiled": False, "device": "cpu", "seed": 7, "fresh": False,
                   "artefacts": file, "neutralisers": []}  # fmt: skip
        lines = self.written(lambda: self.worker.run(message))
        answer = next(line for line in lines if line.get("type") == "result")
        header, _ = read(file + "/eager.run")
        values = [leaf["value"] for leaf in header["leaves"] if leaf["path"] == "output[0]"]
        error = answer["evidence"]["outcomes"]["eager"].get("error")
        return {"tainted": answer["tainted"], "value": values, "error": error and error["traceback"]}

    def restored(self, statement, probe):
        before = self.run("", probe)
        during = self.run(statement, probe)
        return [before, during, self.run("", probe)]

    def tainting(self, statement):
        return [self.run(statement)]

    def left(self, statement):
        """What the program's own check finds, and then a check of everything."""
        tainted = self.run(statement)["tainted"]
        (checked,) = self.written(lambda: self.worker.check({"id": 0}))
        return [tainted, checked["changed"]]


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
