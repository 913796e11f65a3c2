"""A stand-alone script under the tool of that name: what it has to do to have shown something, and what it cannot
reach. The scripts here need no torch: what the switches do to torch.compile is torch's own."""

import itertools
import json
import pathlib
import textwrap
import unittest

from driver import CACHE, Worker

HONEST = """
    import os
    import sys

    on = "TORCHDYNAMO_DISABLE" not in os.environ
    print("shown" if on else "not shown")
    sys.exit(0 if on else 1)
"""


class Script(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = cls.enterClassContext(Worker(fork_parent=True))
        cls.jobs = itertools.count(1)

    def told(self, script: str, tool: str = "script") -> str:
        """What the tool told; the answer carries it, and not the file."""
        job = next(self.jobs)
        folder = pathlib.Path(self.worker.scratch.name) / "jobs" / str(job)
        message = {"type": "inspect", "id": job, "program": textwrap.dedent(script), "file": str(folder / "f.py")}
        message |= {"tool": tool, "device": "cpu", "seed": 0, "seconds": 1}
        self.worker.send(message | {"output": str(folder / "artefacts" / "inspect.txt")})
        answer = self.worker.wait("inspected")
        self.worker.wait("ended")
        self.assertEqual(answer["failure"], "")
        return answer["text"]

    def verdict(self, script: str, tool: str = "script") -> str:
        return self.told(script, tool).splitlines()[0]

    def test_a_regression_test_passes_by_its_exit_status(self):
        self.assertEqual(self.verdict("assert True\n", "regression"), "passes")
        wrong = "fails: exit status 1, AssertionError: 2 is not 3"
        self.assertEqual(self.verdict('assert 2 == 3, "2 is not 3"\n', "regression"), wrong)
        killed = "import os\nos.kill(os.getpid(), 9)\n"
        self.assertEqual(self.verdict(killed, "regression"), "fails: signal 9")
        self.assertIn("printed", self.told('print("printed")\n', "regression"))

    def test_reproducing_needs_both_runs(self):
        text = self.told(HONEST)
        self.assertEqual(text.splitlines()[0], "shown")
        self.assertIn("== run alone: exit status 0", text)
        self.assertIn("== run alone with the compiler off", text)
        either_way = 'print("shown")\nraise SystemExit(0)\n'
        self.assertEqual(self.verdict(either_way), "not shown: it says the same with the compiler off")

    def test_an_exit_status_alone_proves_nothing(self):
        ends = "not shown: it ends with status 0 before it has compared anything"
        self.assertEqual(self.verdict("import os\nos._exit(0)\n"), ends)
        self.assertEqual(self.verdict('print("shown")\nprint("and more")\n'), ends)
        self.assertEqual(self.verdict('print("shownish")\n'), ends)

    def test_a_script_that_does_not_reproduce_gives_the_reason(self):
        self.assertEqual(self.verdict('print("not shown: both run")\nraise SystemExit(1)\n'), "not shown: both run")
        self.assertEqual(self.verdict('print("not shown")\nraise SystemExit(1)\n'), "not shown")

    def test_undecided_scripts(self):
        text = self.told("raise ValueError('of its own')\n")
        self.assertEqual(text.splitlines()[0], "cannot tell: exit status 1, ValueError: of its own")
        self.assertIn("ValueError: of its own", text)
        self.assertEqual(self.verdict("import os\nos.kill(os.getpid(), 9)\n"), "cannot tell: signal 9")
        self.assertEqual(self.verdict('print("cannot tell")\nraise SystemExit(2)\n'), "cannot tell: exit status 2")

    def test_the_script_cannot_access_the_worker(self):
        looks = """
            import os
            import sys

            print([name for name in os.environ if name.startswith("PARITYD")])
            print([name for name in os.listdir("/proc/self/fd") if int(name) > 3])  # 3: of the listing itself
            print([name for name in sys.modules if name in ("modes", "serve", "parityd_worker", "torch")])
            try:
                open(f"/proc/{os.getppid()}/mem", "r+b")
                print("open for root" if os.geteuid() == 0 else "open")
            except PermissionError:
                print("closed")
        """
        self.assertRegex(self.told(looks), r"\n\[\]\n\[\]\n\[\]\n(closed|open for root)\n")

    def test_the_compiler_does_not_probe_what_the_worker_knows(self):
        learnt = [json.loads(file.read_text())["content"] for file in (CACHE / "shared").glob("isa-*.json")]
        usable = "1" if learnt and all(all(answers.values()) for answers in learnt) else "None"
        text = self.told("import os\nprint(os.environ.get('TORCHINDUCTOR_VEC_ISA_OK'))\n")
        self.assertIn(f"\n{usable}\n", text)

    def test_processes_left_running_are_ended(self):
        leaves = """
            import os
            import time

            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(1000)
                os._exit(0)
            os.wait()
        """
        self.verdict(leaves)
        self.assertEqual(self.verdict(HONEST), "shown")


if __name__ == "__main__":
    unittest.main()
