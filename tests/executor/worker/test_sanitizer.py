"""compute-sanitizer on a program whose compiled kernels touch what they do not own, and on a sound one; without a GPU,
by a stand-in that runs the program and makes up the report."""

import os
import pathlib
import tempfile
import unittest

import torch
from driver import Worker, program

SOUND = """
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.relu(x).sin()


    def get_inputs():
        return [torch.randn(997)]
"""
BEYOND = (
    """
    import torch._inductor.codegen.triton as generated

    # Inductor's kernels forget where their tensors end: 997 elements are 27 short of a block's end.
    generated.IndexingOptions.mask_str = property(lambda self: "None")

"""
    + SOUND
)


STAND_IN = """#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift 2; done
echo ========= COMPUTE-SANITIZER
"$@"
echo ========= ERROR SUMMARY: 0 errors
"""


def told(worker: Worker, tool: str, source: str, device: str) -> tuple[str, str]:
    """The text and why the tool failed."""
    folder = pathlib.Path(worker.scratch.name) / "jobs" / "1"
    output = folder / "artefacts" / "inspect.txt"
    message = {"type": "inspect", "id": 1, "program": program(source), "file": str(folder / "finding_7.py")}
    message |= {"tool": tool, "device": device, "seed": 0, "seconds": 280, "output": str(output)}
    worker.send(message)
    failure = worker.wait("inspected")["failure"]
    worker.wait("ended")
    return output.read_text(encoding="utf-8"), failure


class StandIn(unittest.TestCase):
    def test_report_and_outcome_of_the_program_are_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            sanitizer = pathlib.Path(folder) / "compute-sanitizer"
            sanitizer.write_text(STAND_IN)
            sanitizer.chmod(0o755)
            path = os.environ["PATH"]
            os.environ["PATH"] = f"{folder}:{path}"
            try:
                with Worker(fork_parent=True) as worker:
                    ran, failure = told(worker, "memcheck", SOUND, "cpu")
                    self.assertEqual(failure, "")
                    raises = SOUND.replace("torch.relu(x)", "torch.relu(x) if x.ndim > 1 else x.nothing")
                    raised, failure = told(worker, "racecheck", raises, "cpu")
                    self.assertEqual(failure, "")
                    sanitizer.write_text("#!/bin/sh\necho no driver\nexit 3\n")
                    _, failure = told(worker, "initcheck", SOUND, "cpu")
                    self.assertIn("compute-sanitizer ended with 3:\nno driver", failure)
            finally:
                os.environ["PATH"] = path
        self.assertRegex(ran, r"ERROR SUMMARY: 0 errors\n\n== inductor ran\n")
        self.assertRegex(raised, r"== inductor raised \w+: .*nothing")


@unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
class Sanitizer(unittest.TestCase):
    def told(self, tool: str, source: str) -> str:
        with Worker(fork_parent=True) as worker:
            text, failure = told(worker, tool, source, "cuda")
        self.assertEqual(failure, "")
        return text

    def test_an_out_of_bounds_read_is_reported_with_its_kernel(self):
        self.assertRegex(
            self.told("memcheck", BEYOND), r"Invalid __global__ read of size \d+ bytes\n=+ +at triton_\w+_fused_"
        )

    def test_a_correct_program_has_a_summary_without_errors(self):
        for tool in ("memcheck", "racecheck", "initcheck"):
            with self.subTest(tool):
                self.assertRegex(self.told(tool, SOUND), r"SUMMARY: 0 (errors|hazards)[\s\S]*== inductor ran\n")


if __name__ == "__main__":
    unittest.main()
