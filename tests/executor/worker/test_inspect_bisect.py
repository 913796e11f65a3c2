"""The search of the tool `bisect` with torch's bisector on a stand-in for a program, without compiling anything."""

import io
import os
import pathlib
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

from driver import FOLDERS, module_under_test

sys.path += [*FOLDERS, module_under_test()]

import inspect_bisect
from inspect_missing import NotInTorch
from torch._inductor import compiler_bisector
from torch._inductor.compiler_bisector import CompilerBisector

LOWERED = ("sin", "add", "relu", "cos")
LINE = "TORCH_BISECT_BACKEND=inductor TORCH_BISECT_SUBSYSTEM=lowerings TORCH_BISECT_MAX="
PLACE = "TORCHINDUCTOR_CACHE_DIR"


class Program:
    """Wrong where Inductor lowers relu. In the place of inspect_bisect.Fault."""

    def __init__(self, *answers: bool) -> None:
        self.questions = 0
        self._answers = list(answers)  # given first, whatever is on

    def still(self) -> tuple[bool, str]:
        self.questions += 1
        off = {name: self._is_off(name) for name in LOWERED}
        wrong = CompilerBisector.get_backend() == "inductor" and not off["relu"]
        wrong = self._answers.pop(0) if self._answers else wrong
        return wrong, "still wrong" if wrong else "right"

    def _is_off(self, name: str) -> bool:
        return CompilerBisector.disable_subsystem("inductor", "lowerings", lambda: name)


class Bisect(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.by_hand = self.folder / "cache" / "bisect" / "bisect_status.txt"
        self.by_hand.parent.mkdir(parents=True)
        self.by_hand.write_text("backend=aot_eager\nsubsystem=\n")
        self.enterContext(mock.patch.dict(os.environ, {PLACE: str(self.folder / "cache"), "TORCH_BISECT_MAX": "3"}))

    def told(self, program: Program, seconds: float = 60) -> str:
        text = io.StringIO()
        folder = self.folder / "job"
        folder.mkdir()
        deadline = time.monotonic() + seconds
        subject = types.SimpleNamespace(text=text, deadline=deadline, folder=str(folder), own_mode="inductor")
        before = vars(CompilerBisector).copy()
        with inspect_bisect._own_state(compiler_bisector, str(folder / "bisect")):
            inspect_bisect.Search(subject, compiler_bisector, program).run()
        self.assertEqual(dict(vars(CompilerBisector)), before)
        self.assertEqual(
            {name: os.environ.get(name) for name in inspect_bisect.VARIABLES},
            dict.fromkeys(inspect_bisect.VARIABLES) | {"TORCH_BISECT_MAX": "3"},
        )
        self.assertEqual(list(folder.iterdir()), [])
        self.assertEqual(self.by_hand.read_text(), "backend=aot_eager\nsubsystem=\n")
        return text.getvalue()

    def test_the_lowering_is_found_and_checked_with_variables(self):
        told = self.told(Program())
        self.assertTrue(told.startswith("TORCH_BISECT_BACKEND=eager: right\n"), told)
        self.assertIn(f"\n{LINE}-1: right\n", told)
        found = "found: backend inductor, subsystem lowerings, number 2, counted from 0: relu\n"
        self.assertTrue(told.endswith(f"{found}reproduce: {LINE}2\nright again: {LINE}1\n"), told)

    def test_each_subsystem_is_tried_once_if_none_explains_the_difference(self):
        program = Program(*[False] * 4, *[True] * 50)
        told = self.told(program)
        line = "TORCH_BISECT_BACKEND=inductor"
        ending = f"found: backend inductor, in no single subsystem\nreproduce: {line}\n"
        self.assertTrue(told.endswith(ending), told)
        questions = len(compiler_bisector.BACKENDS) + len(compiler_bisector.BACKENDS["inductor"]) + 1
        self.assertEqual(program.questions, questions, told)

    def test_a_setting_that_helps_is_named_and_the_backend_reproduces(self):
        told = self.told(Program(*[False] * 4, *[True] * 5, False))
        setting = "torch._inductor.config.emulate_precision_casts = True"
        self.assertIn(f"\nTORCH_BISECT_BACKEND=inductor with {setting}: right\n", told)
        ending = f"found: backend inductor, correct with {setting}\nreproduce: TORCH_BISECT_BACKEND=inductor\n"
        self.assertTrue(told.endswith(ending), told)

    def test_nothing_is_found(self):
        told = self.told(Program(*[False] * 50))
        self.assertIn("found nothing: ", told)
        self.assertNotIn("reproduce", told)

    def test_the_result_so_far_is_reported_when_time_is_over(self):
        program = Program()
        still, deadline = program.still, time.monotonic() + 60

        def late() -> tuple[bool, str]:
            if program.questions == 4:
                self.enterContext(mock.patch("time.monotonic", return_value=deadline + 1))
            return still()

        program.still = late
        told = self.told(program)
        self.assertTrue(told.endswith("\nTORCH_BISECT_BACKEND=inductor: still wrong\n" + told.splitlines()[-1] + "\n"))
        self.assertIn("the time is spent", told.splitlines()[-1])

    def test_a_program_that_changes_makes_the_bisector_give_up(self):
        off = len(compiler_bisector.BACKENDS["inductor"]) - 1
        told = self.told(Program(*[False] * 4, *[True] * (off + 1), False, False))
        self.assertIn("torch's bisector gave up: RuntimeError: ", told)

    def test_a_torch_without_the_bisector_is_reported(self):
        with (
            mock.patch.dict(sys.modules, {"torch._inductor.compiler_bisector": None}),
            self.assertRaises(NotInTorch) as raised,
        ):
            inspect_bisect.bisect(None)
        self.assertEqual(raised.exception.instead, "accuracy-aot")


if __name__ == "__main__":
    sys.exit(unittest.main())
