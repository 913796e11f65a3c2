"""What a program leaves in a warm worker, so that the next one's fault does not show, is undone or noticed: at the
latest when the worker is looked at whole, and then what it judged is judged again."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "executor" / "worker"))
from built_module import module_under_test  # noqa: E402
from driver import CACHE, SOURCES  # noqa: E402

FILES = sorted(file.stem for file in (HERE / "warm").glob("*.py"))
ATTEMPTS = [name for name in FILES if name not in ("victim", "warm_child") and not name.endswith("_next")]
# Where the check after each program looks: nothing has to be judged again.
SEEN_AT_ONCE = (
    "closure_cell", "code_constant", "dictionary", "function_attribute", "instance_attribute", "list", "pytree",
    "rounding", "set", "signal_handler", "thread",
)  # fmt: skip
UNDONE = ("environment",)


class Warm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            CACHE.mkdir(parents=True, exist_ok=True)
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": folder,
                "TMPDIR": str(CACHE),
                "USER": "parityd",
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                "PYTHONHASHSEED": "0",
                "OMP_NUM_THREADS": "1",
                "TORCHINDUCTOR_COMPILE_THREADS": "1",
            }
            command = [sys.executable, "-B", HERE / "warm/warm_child.py", SOURCES, module_under_test(), folder]
            subprocess.run(command, env=environment, cwd=folder, check=True)
            cls.answers = json.loads(pathlib.Path(folder, "answers.json").read_text())

    def test_the_fault_shows_if_nothing_was_left_behind(self):
        self.assertEqual(self.answers["nothing"], {"noticed": ["", ""], "differs": True, "eager": "ran"})

    def test_a_change_that_cannot_be_undone_is_noticed(self):
        for name in ATTEMPTS:
            if name not in UNDONE:
                with self.subTest(name):
                    self.assertIsNotNone(self.answers[name], "the worker died")
                    self.assertIn("state changed", self.answers[name]["noticed"][-1])

    def test_a_change_of_common_state_is_noticed_before_the_next_program(self):
        for name in SEEN_AT_ONCE:
            with self.subTest(name):
                self.assertIn("state changed", self.answers[name]["noticed"][0])

    def test_the_c_environment_is_restored(self):
        for name in UNDONE:
            with self.subTest(name):
                self.assertEqual(self.answers[name], {"noticed": ["", "", ""], "differs": False, "eager": "ran"})


if __name__ == "__main__":
    unittest.main()
