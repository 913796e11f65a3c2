"""A made-up row of modes.json is a mode that runs, one of tools.json a tool: what docs/adding-a-mode.md and
docs/adding-a-tool.md say is all that it takes. In a copy of the worker's Python, in a process of its own."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from built_module import module_under_test
from driver import SOURCES

MODE = {"name": "inductor_made_up", "about": "made up", "look": "first", "backend": "inductor",
        "settings": {"inductor.max_fusion_size": 1}, "function": "run_made_up"}  # fmt: skip
FUNCTION = """

def run_made_up(execution: Execution) -> None:
    import torch._inductor.config as inductor

    class Seen(contextlib.nullcontext):
        def __enter__(self):
            execution.warnings.append(f"at most {inductor.max_fusion_size} fused")

    execution.run_steps(execution.recorder, Seen())
"""
TOOL = {"name": "made-up", "about": "made up", "function": "inspect_made_up.told"}
MODULE = 'def told(subject):\n    subject.run()\n    subject.text.write("told\\n")\n'
CHILD = """
import json, sys
folder, module = sys.argv[1:]
sys.path.insert(0, f"{folder}/worker")
from worker_path import FOLDERS
sys.path[:0] = [*FOLDERS, module]
import torch, capture, inspection, modes, rounding
from program import Program
capture.install()
text = open(f"{folder}/program.py").read()
program = Program(text, f"{folder}/jobs/program.py")
execution = modes.Execution(program, modes.Plan("inductor_made_up", "inductor", "cpu", 0), rounding.Collected(), print)
execution.run()
torch._dynamo.reset()
asked = {"id": 1, "program": text, "file": f"{folder}/jobs/program.py", "tool": "made-up", "device": "cpu", "seed": 0,
         "seconds": 60, "output": f"{folder}/told.txt"}
answer = inspection.inspect(asked, lambda _: None)
outcome = execution.outcome
print(json.dumps([outcome["kind"], outcome["graphs"], sorted(set(execution.warnings)), answer["failure"]]))
"""
PROGRAM = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.ones(3)]
"""


class MadeUpRows(unittest.TestCase):
    def test_an_added_row_runs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for copied in ("worker", "shared"):
                shutil.copytree(SOURCES.with_name(copied), folder / copied)
            for table, row in (("modes.json", MODE), ("tools.json", TOOL)):
                rows = json.loads((folder / "shared" / table).read_text(encoding="utf-8"))
                (folder / "shared" / table).write_text(json.dumps([row, *rows]))
            with open(folder / "worker/running/modes.py", "a", encoding="utf-8") as file:
                file.write(FUNCTION)
            (folder / "worker/inspecting/inspect_made_up.py").write_text(MODULE)
            (folder / "program.py").write_text(PROGRAM)
            (folder / "jobs").mkdir()
            command = [sys.executable, "-c", CHILD, name, str(module_under_test())]
            environment = {**os.environ, "HOME": name, "TORCHINDUCTOR_CACHE_DIR": f"{name}/inductor"}
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual(answer, ["ran", 1, ["at most 1 fused"], ""])
            told = (folder / "told.txt").read_text()
            self.assertRegex(told, r"^== made-up of program\.py, torch \S+ on cpu\ntold\n\n== inductor ran: 1 graphs")


if __name__ == "__main__":
    unittest.main()
