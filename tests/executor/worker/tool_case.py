"""Runs tools of `parityd inspect` and of the daemon through a worker."""

import pathlib
import unittest

from driver import Worker, shared_worker


class Told:
    def __init__(self, text: str, answer: dict, ended: dict) -> None:
        self.text, self.answer, self.ended = text, answer, ended

    @property
    def body(self) -> str:
        """Without the heading."""
        return self.text.partition("\n")[2]


class ToolCase(unittest.TestCase):
    def inspect(self, tool: str, *sources: str, **asked: object) -> list[Told]:
        with shared_worker(fork_parent=True) as worker:
            return [self.told(worker, tool, source, number, asked) for number, source in enumerate(sources, 1)]

    def told(self, worker: Worker, tool: str, source: str, number: int, asked: dict[str, object]) -> Told:
        folder = pathlib.Path(worker.scratch.name) / "jobs" / str(number)
        output = folder / "artefacts" / "inspect.txt"
        message = {"type": "inspect", "id": number, "program": source, "file": str(folder / "finding_7.py")}
        message |= {"tool": tool, "device": "cpu", "seed": 0, "seconds": 120, "output": str(output)} | asked
        worker.send(message)
        answer = worker.wait("inspected", "ended")
        ended = answer if answer["type"] == "ended" else worker.wait("ended")
        return Told(output.read_text(encoding="utf-8"), answer, ended)
