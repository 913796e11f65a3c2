"""Runs each hostile program in a warm worker of its own, forked from one that has run none, then NAME_next.py or, where
there is none, a program with a known fault; tells as JSON what came of it: warm_child.py SOURCES MODULE FOLDER."""

import json
import os
import pathlib
import sys
import tempfile

sources, module, folder = sys.argv[1:4]
sys.path[:0] = [sources, os.path.join(os.path.dirname(sources), "shared"), module]

import parityd_worker  # noqa: E402
import prime  # noqa: E402
import serve  # noqa: E402
import state  # noqa: E402

HERE = pathlib.Path(__file__).parent
VICTIM = (HERE / "victim.py").read_text()


class Harness:
    """A worker that writes into a file."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.answers = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.reading, _ = os.pipe()
        self.worker = serve.Worker(self.channel(), {}, "")
        prime.prime("cpu", False)
        self.worker.prepare()
        self.number = 0

    def channel(self):
        return parityd_worker.Channel(self.reading, self.file.fileno())

    def answer(self, message):
        start = self.file.seek(0, os.SEEK_END)
        self.worker.answer(message)
        self.file.seek(start)
        return [json.loads(line) for line in self.file.read().splitlines()][-1]

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
        if hasattr(self.worker, "check"):
            noticed.append(self.answer({"type": "check", "id": 0})["changed"])
        return {
            "noticed": noticed,
            "differs": any(leaf.get("unequal") for leaf in leaves),
            "eager": outcomes["eager"]["kind"],
        }

    def in_child(self, *arguments):
        self.answers.seek(0)
        self.answers.truncate()
        child = os.fork()
        if child == 0:
            try:
                self.parents = self.worker.channel  # would close the descriptors
                self.worker.channel = self.channel()
                parityd_worker.adopt_orphans()
                self.answers.write(json.dumps(self.attempt(*arguments)))
                self.answers.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        state.end_leftover_processes()
        self.answers.seek(0)
        text = self.answers.read()
        return json.loads(text) if text else None


def main():
    harness = Harness()
    answers = {"nothing": harness.in_child("", VICTIM)}
    for file in sorted(HERE.glob("*.py")):
        following = file.with_stem(file.stem + "_next")
        if file.stem not in ("victim", "warm_child") and not file.stem.endswith("_next"):
            victim = following.read_text() if following.exists() else VICTIM
            answers[file.stem] = harness.in_child(file.read_text(), victim)
    pathlib.Path(folder, "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
