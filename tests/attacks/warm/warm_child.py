"""Runs each hostile program in a warm worker of its own, forked from one that has run none, then NAME_next.py or, where
there is none, a program with a known fault; tells as JSON what came of it: warm_child.py SOURCES MODULE FOLDER."""

import json
import os
import pathlib
import sys

sources, module, folder = sys.argv[1:4]
HERE = pathlib.Path(__file__).parent
HARNESS = HERE.parents[1] / "executor" / "worker"
sys.path.insert(0, sources)
from worker_path import FOLDERS  # noqa: E402

sys.path[:0] = [str(HARNESS), *FOLDERS, module]

import prime  # noqa: E402
from forked_worker import ForkedWorker  # noqa: E402

VICTIM = (HERE / "victim.py").read_text()


class Harness(ForkedWorker):
    def __init__(self):
        super().__init__()
        prime.prime("cpu", False)
        self.worker.prepare()

    def answer(self, message):
        return self.written(lambda: self.worker.answer(message))[-1]

    def run(self, program):
        self.number += 1
        file = f"{folder}/{os.getpid()}-{self.number}.py"
        return self.answer({"type": "run", "id": self.number, "program": program, "file": file, "device": "cpu",
                            "seed": 7, "modes": ["eager", "inductor"], "choose_compiled": True, "fresh": False,
                            "artefacts": "", "values": False, "neutralisers": []})  # fmt: skip

    def attempt(self, hostile, victim):
        told = [self.run(hostile)] if hostile else []
        answer = self.run(victim)
        leaves = [leaf for pair in answer["evidence"]["measurements"] for leaf in pair["leaves"]]
        outcomes = answer["evidence"]["outcomes"]
        noticed = [one["tainted"] for one in (*told, answer)]
        noticed.append(self.answer({"type": "check", "id": 0})["changed"])
        return {
            "noticed": noticed,
            "differs": any(leaf.get("unequal") for leaf in leaves),
            "eager": outcomes["eager"]["kind"],
        }


def main():
    harness = Harness()
    answers = {"nothing": harness.in_child(lambda: harness.attempt("", VICTIM))}
    for file in sorted(HERE.glob("*.py")):
        following = file.with_stem(file.stem + "_next")
        if file.stem not in ("victim", "warm_child") and not file.stem.endswith("_next"):
            victim = following.read_text() if following.exists() else VICTIM
            hostile = file.read_text()
            answers[file.stem] = harness.in_child(lambda h=hostile, v=victim: harness.attempt(h, v))
    pathlib.Path(folder, "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
