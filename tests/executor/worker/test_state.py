"""Every planted mutation is either gone before the next program, or named as the reason to retire the worker."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import planted
from built_module import module_under_test
from driver import CACHE, SOURCES, program, shared_worker
from test_programs import LINEAR

CHILD = pathlib.Path(__file__).with_name("state_child.py")
PROGRAMS = pathlib.Path(__file__).parents[2] / "programs"
HONEST = ("consistent_dropout", "consistent_mlp", "consistent_shared_storage", "gradient_relu", "mutation_relu",
          "rounding_sum_order", "rounding_bf16_chain", "not_compiled", "invalid_matmul")  # fmt: skip


class State(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": folder,
                "TMPDIR": str(CACHE),
                "USER": "parityd",
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                "OMP_NUM_THREADS": "1",
                "TORCHINDUCTOR_COMPILE_THREADS": "1",
            }
            CACHE.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-B", str(CHILD), str(SOURCES), module_under_test(), folder]
            subprocess.run(command, env=environment, cwd=folder, check=True)
            cls.answers = json.loads((pathlib.Path(folder) / "answers.json").read_text())

    def test_restorable_state_is_restored(self):
        for name in planted.RESTORED:
            with self.subTest(name):
                answers = self.answers["restored"][name]
                self.assertIsNotNone(answers, "the worker died")
                before, during, after = answers
                self.assertEqual([answer["error"] for answer in answers], [None] * 3)
                self.assertEqual([answer["tainted"] for answer in answers], [""] * 3)
                self.assertNotEqual(before["value"], during["value"], "nothing was planted")
                self.assertEqual(before["value"], after["value"])

    def test_state_that_cannot_be_restored_taints_the_worker(self):
        for name, (_, reason) in planted.TAINTING.items():
            with self.subTest(name):
                answers = self.answers["tainting"][name]
                self.assertIsNotNone(answers, "the worker died")
                self.assertIn(reason, answers[0]["tainted"])

    def test_a_check_inspects_all_code(self):
        for name, (_, reason) in planted.TAINTING_LATER.items():
            with self.subTest(name):
                self.assertIsNotNone(self.answers["later"][name], "the worker died")
                tainted, changed = self.answers["later"][name]
                self.assertEqual(tainted, "")
                self.assertIn(reason, changed)

    def test_honest_programs_leave_nothing(self):
        sources = [(PROGRAMS / f"{name}.py").read_text() for name in HONEST]
        with shared_worker() as worker:
            for name, source in zip(HONEST, sources, strict=True):
                with self.subTest(name):
                    self.assertEqual(worker.run(source)["tainted"], "")
            self.assertEqual(worker.run(LINEAR, "eager", "inductor_dynamic")["tainted"], "")
            self.assertEqual(worker.run(program(ERRING), "eager")["tainted"], "")
            self.assertEqual(worker.run(program(SOLVING), "eager", "inductor")["tainted"], "")
            self.assertEqual(worker.run(program(TAKEN_WHOLE), "eager", "inductor")["tainted"], "")
            for name in BY_MODE:
                with self.subTest(name):
                    self.assertEqual(worker.run((PROGRAMS / f"{name}.py").read_text())["tainted"], "")
            self.assertEqual(worker.check(), "")


SOLVING = """
    class Model(torch.nn.Module):
        def forward(self, x, y):
            return torch.linalg.solve(x, y)

    def get_inputs():
        return [torch.eye(3) * 2, torch.ones(3, 1)]
"""
TAKEN_WHOLE = """
    def sine(x):
        return x.sin()

    torch._dynamo.allow_in_graph(sine)

    class Model(torch.nn.Module):
        def forward(self, x):
            return sine(x) + 1

    def get_inputs():
        return [torch.randn(4)]
"""
BY_MODE = ("gradient_compiled_autograd_outputs", "gradient_budget_dropout", "excused_wrapper_cancellation")
ERRING = """
    class Odd(Exception):
        def __str__(self):
            raise SystemExit

    class Model(torch.nn.Module):
        def forward(self, x):
            raise Odd

    def get_inputs():
        return [1]
"""


if __name__ == "__main__":
    unittest.main()
