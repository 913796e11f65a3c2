"""compute-sanitizer on a program whose compiled kernels touch what they do not own, and on a sound one. Needs a GPU."""

import pathlib
import sys
import unittest

import torch
from driver import Worker, program

SOUND = """
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.relu(x).sin() + x.mean()


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


class Sanitizer(unittest.TestCase):
    def told(self, tool: str, source: str) -> str:
        with Worker(fork_parent=True) as worker:
            folder = pathlib.Path(worker.scratch.name) / "jobs" / "1"
            output = folder / "artefacts" / "inspect.txt"
            message = {"type": "inspect", "id": 1, "program": program(source), "file": str(folder / "finding_7.py")}
            message |= {"tool": tool, "device": "cuda", "seed": 0, "seconds": 280, "output": str(output)}
            worker.send(message)
            self.assertEqual(worker.wait("inspected").get("failure"), "")
            worker.wait("ended")
            return output.read_text(encoding="utf-8")

    def test_a_read_beyond_the_end_is_told_with_its_kernel(self):
        self.assertRegex(
            self.told("memcheck", BEYOND), r"Invalid __global__ read of size \d+ bytes\n=+ +at triton_\w+_fused_"
        )

    def test_a_sound_program_comes_to_a_summary_without_errors(self):
        for tool in ("memcheck", "racecheck", "initcheck"):
            with self.subTest(tool):
                self.assertRegex(self.told(tool, SOUND), r"SUMMARY: 0 (errors|hazards)")


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED: there is no GPU")
        sys.exit(0)
    unittest.main()
