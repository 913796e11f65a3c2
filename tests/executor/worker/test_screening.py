"""Screening and composing in a fresh child: verdicts, and that programs leave each other alone."""

import re
import unittest
from typing import Any

from driver import Worker, program, shared_worker


def computing(expression: str, inputs: str = "torch.randn(3, 4)", options: str = "{}") -> str:
    return program(f"""
        class Model(torch.nn.Module):
            def forward(self, x):
                return {expression}


        def get_inputs():
            return [{inputs}]


        OPTIONS = {options}
    """)


LARGE = "torch.empty(1).expand(1 << 20, 1 << 20)"
VALID = {
    "plain": computing("x.sin()"),
    "asks for a number": computing("x * 2 if x.sum() > -1e9 else x.nothing"),
    "numbers give the shape": computing("x[x > 0]"),
    "writes into gaps": computing("x[:1].mul_(2)", "torch.ones(6)[::2]"),
    "reads elements that are one": computing("x * 2", "torch.ones(1).expand(3)"),
    "backward": computing("x.sin()", options="{'backward': True}"),
    "twice, with its own scale": program("""
        class Model(torch.nn.Module):
            def forward(self, x):
                return x + 1


        def get_inputs(scale: int = 1):
            return [torch.randn(3 * scale)]


        OPTIONS = {'calls': 2}
    """),
    "changes the default dtype": "import torch\ntorch.set_default_dtype(torch.float64)\n" + computing("x.sin()"),
    "needs the default dtype": computing("x @ torch.ones(4, 2, dtype=torch.float32)"),
}
INVALID = {  # and the error's class
    "does not fit": (computing("x @ x"), "RuntimeError"),
    "no syntax": ("def (:\n", "SyntaxError"),
    "no model": ("import torch\n", "AttributeError"),
    "leaves": (computing("exit(3)"), "SystemExit"),
    "never ends": (computing("[1 for _ in iter(int, 1)]"), "TimeoutError"),
    "a text that never ends": (
        computing("fail()") + "\n\ndef fail():\n    raise Endless\n\n\n"
        "class Endless(Exception):\n    def __str__(self):\n        while True: pass\n",
        "<unprintable",
    ),
    "writes into elements that are one": (computing("x[:1].mul_(2)", "torch.ones(1).expand(3)"), "WritesShared"),
    "too large": (computing("x", LARGE), "TooLarge"),
    "too much memory": (computing("torch.ones(1 << 20, 1 << 20)"), "RuntimeError"),
    "index out of range": (computing("x[torch.tensor([7])]"), "IndexError"),
    "no gradient through a leaf": (computing("x.add_(1)", options="{'backward': True}"), "RuntimeError"),
    "no kernel": (computing("x.cholesky_inverse()", "torch.ones(2, 2).half()"), "NotImplementedError"),
}


def screen(worker: Worker, programs: list[str], compose: int = 0, composing: int = 0) -> dict[str, Any]:
    message = {"type": "screen", "id": 5, "programs": programs, "compose": compose, "composing": composing}
    worker.send({**message, "file": f"{worker.scratch.name}/screened/p.py", "seed": 7})
    answer = worker.wait("screened", "ended")
    if answer["type"] == "screened":
        assert worker.wait("ended")["status"] == 0
    return answer


class Screening(unittest.TestCase):
    def test_verdicts(self) -> None:
        with shared_worker(fork_parent=True) as worker:
            answer = screen(worker, [*VALID.values(), *(text for text, _ in INVALID.values())])
        verdicts = iter(answer["verdicts"])
        for name in VALID:
            with self.subTest(name):
                self.assertEqual(next(verdicts), {"valid": True, "error": ""})
        for name, (_, error) in INVALID.items():
            with self.subTest(name):
                verdict = next(verdicts)
                self.assertFalse(verdict["valid"])
                self.assertEqual(verdict["error"].split(":")[0], error)
        self.assertIsNone(next(verdicts, None))

    def test_a_program_that_kills_its_process_ends_only_the_child(self) -> None:
        with shared_worker(fork_parent=True) as worker:
            ended = screen(worker, [computing("x.sin()"), computing("os.abort()")])
            self.assertEqual(ended["type"], "ended")
            self.assertEqual(ended["signal"], 6)
            self.assertEqual(len(screen(worker, [VALID["plain"]])["verdicts"]), 1)

    def test_composed_programs_run_with_other_numbers(self) -> None:
        with shared_worker(fork_parent=True) as worker:
            composed = screen(worker, [], compose=12, composing=100)["composed"]
            self.assertGreaterEqual(len(composed), 11)
            self.assertEqual(len(set(composed)), len(composed))
            again = screen(worker, [], compose=2, composing=101)["composed"]
            self.assertEqual(again, composed[1:3])
            ran = [worker.run(text, "eager", seed=99)["evidence"]["outcomes"]["eager"] for text in composed]
        self.assertEqual([outcome.get("error") for outcome in ran if outcome["kind"] != "ran"], [])

    def test_composed_programs_compute_with_integers(self) -> None:
        """Of the narrow types, which C++ promotes where the program does not say so."""
        with shared_worker(fork_parent=True) as worker:
            composed = screen(worker, [], compose=150, composing=0)["composed"]
        for dtype in ("uint8", "int8", "int16"):
            self.assertGreater(sum(f"dtype=torch.{dtype})" in text for text in composed), 3, dtype)
        drawing = [text for text in composed if "own_random" in text]
        self.assertGreater(len(drawing), 2)
        for text in drawing:
            self.assertRegex(
                text, r"torch\.(rand|bernoulli|normal)|dropout|rrelu|gumbel|uniform_|exponential_|geometric_"
            )
        sized = [text for text in composed if "capture_scalar_outputs" in text]
        self.assertGreater(len(sized), 8)
        unknown = re.compile(r"nonzero|argwhere|item\(\)|masked_select|unique|= int\(|\w\[\w+ > 0\]|tolist")
        bodies = [text.partition("def forward")[2].partition("def get_inputs")[0] for text in sized]
        self.assertGreater(sum(bool(unknown.search(body)) for body in bodies), len(sized) // 2)
        chosen = re.compile(r"torch\.(maximum|minimum|fmax|fmin|bitwise_\w+|remainder|clamp\w*|abs|neg)\(")
        self.assertGreater(sum("=torch.int16)" in text and bool(chosen.search(text)) for text in composed), 3)


if __name__ == "__main__":
    unittest.main()
