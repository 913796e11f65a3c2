"""The double run by the captured graphs: what is carried in double, what stays rounded, what it writes to."""

import json
import pathlib
import sys
import tempfile
import unittest

import torch
from driver import FOLDERS, program, shared_worker
from test_programs import differing, leaves

sys.path += FOLDERS

import modes
import rounding
from program import Program

CORPUS = pathlib.Path(__file__).resolve().parents[3] / "prompts" / "corpus"
MIXED = program("""
    OPTIONS = {"train": True, "backward": True}

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(8, 8)
            self.norm = torch.nn.BatchNorm1d(8)

        def forward(self, x, places):
            y = self.linear(x) @ torch.eye(8, dtype=torch.float32)
            rounded = y.to(torch.bfloat16)
            places.add_(1)
            torch._dynamo.graph_break()
            z = self.norm((rounded * 1.1).float())
            return z, rounded, places / 3, (z > 0).long(), y.half().reshape(-1)

    def get_inputs():
        return [torch.randn(16, 8), torch.arange(5)]
""")


def reference(program_: Program, way: str) -> dict[str, torch.Tensor] | None:
    """What a reference run leaves, by path."""
    collected = rounding.Collected()
    plan = modes.Plan("reference", program_.options.mode, "cpu", 7, way)
    execution = modes.Execution(program_, plan, collected, lambda step: None)
    execution.run()
    torch._dynamo.reset()
    if execution.outcome["kind"] != "ran":
        return None
    return {entry[1]: entry[4] for entry in collected.entries if entry[0] == "tensor" and entry[2] != "input"}


class Double(unittest.TestCase):
    def test_lifted_and_widened_agree_where_both_work(self):
        compared = 0
        with tempfile.TemporaryDirectory() as folder:
            # These fail to be captured, are not lifted, or keep single precision from call to call.
            kinds = [
                "source",
                "caches",
                "custom_operators",
                "higher_order",
                "hooks",
                "steps",
                "subclasses",
                "transforms",
            ]
            left_out = {file for kind in kinds for file in CORPUS.glob(f"{kind}-*.py")}
            for file in sorted(set(CORPUS.glob("*.py")) - left_out):
                written = Program(file.read_text(), f"{folder}/{file.name}")
                lifted, widened = (reference(written, way) for way in (modes.LIFTED, modes.WIDENED))
                if widened is None:
                    continue
                self.assertIsNotNone(lifted, f"{file.name} cannot be lifted")
                for path, expected in widened.items():
                    wide = {expected.dtype, lifted[path].dtype} <= {torch.float64, torch.complex128}
                    if not wide or expected.layout != torch.strided:
                        continue  # what is single in a widened run holds single's rounding
                    scale = 1e-3 + torch.nan_to_num(expected.abs().square().mean().sqrt(), nan=0.0).item()
                    torch.testing.assert_close(
                        lifted[path], expected, rtol=0, atol=1e-9 * scale, equal_nan=True, msg=f"{file.name} {path}"
                    )
                    compared += 1
        self.assertGreater(compared, 100)

    def test_mixed_types_have_a_double_run(self):
        with shared_worker() as worker:
            folder = worker.scratch.name + "/artefacts"
            answer = worker.run(MIXED, "eager", "reference", "inductor_fp64", artefacts=folder)
            dtypes = {leaf["path"]: leaf.get("dtype") for leaf in header(f"{folder}/reference.run")["leaves"]}
            ways = {
                mode: header(f"{folder}/{mode}.run")["outcome"]["double_way"] for mode in ("reference", "inductor_fp64")
            }
        outcomes = answer["evidence"]["outcomes"]
        self.assertEqual(ways, {"reference": "lifted", "inductor_fp64": "lifted"})
        self.assertEqual([outcomes[mode]["graphs"] for mode in ("reference", "inductor_fp64")], [2, 4])
        self.assertEqual(dtypes["output[0]"], "float64")
        self.assertEqual(dtypes["output[1]"], "bfloat16")  # the program's own cast
        self.assertEqual(dtypes["output[2]"], "float64")
        self.assertEqual(dtypes["output[3]"], "int64")
        self.assertEqual(dtypes["output[4]"], "float16")
        self.assertEqual(dtypes["buffer.norm.running_mean"], "float64")
        self.assertEqual(dtypes["gradient.linear.weight"], "float64")

    def test_lifted_compiled_agrees_with_lifted_eager_and_both_with_eager(self):
        with shared_worker() as worker:
            answer = worker.run(MIXED, "eager", "reference", "inductor_fp64")
        wide = leaves(answer, "reference", "inductor_fp64")
        self.assertEqual(differing(wide), [])
        self.assertLess(max(leaf.get("max_scaled", 0) for leaf in wide.values()), 1)
        near = leaves(answer, "reference", "eager")
        self.assertLess(near["buffer.norm.running_mean"]["max_absolute"], 1e-2)
        self.assertLess(
            near["gradient.linear.weight"]["rms_difference"], 0.05 * near["gradient.linear.weight"]["rms_expected"]
        )
        self.assertEqual(near["input_after[1]"].get("unequal", 0), 0)

    def test_casts_of_the_program_round(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x.to(torch.float16).to(torch.float32) * 1, x.float() * 1, x.double().float().double()

            def get_inputs():
                return [torch.tensor([1 + 2.0**-20, 1 / 3])]
        """)
        with tempfile.TemporaryDirectory() as folder:
            left = reference(Program(source, f"{folder}/p.py"), modes.LIFTED)
        x = torch.tensor([1 + 2.0**-20, 1 / 3])
        for path, expected in (("output[0]", x.half()), ("output[1]", x), ("output[2]", x)):
            self.assertEqual(left[path].dtype, torch.float64)
            self.assertTrue(torch.equal(left[path], expected.double()), path)

    def test_writes_change_inputs_parameters_and_their_views(self):
        source = program("""
            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.weight = torch.nn.Parameter(torch.ones(3))

                def forward(self, x, view):
                    x.mul_(1 / 3)
                    self.weight.add_(x[0])
                    torch._dynamo.graph_break()
                    view.add_(1)
                    return x + 0, view * 1

            def get_inputs():
                x = torch.arange(1.0, 4.0)
                return [x, x[1:]]
        """)
        with tempfile.TemporaryDirectory() as folder:
            written = Program(source, f"{folder}/p.py")
            lifted, widened = (reference(written, way) for way in (modes.LIFTED, modes.WIDENED))
        self.assertEqual(lifted["input_after[0]"].dtype, torch.float64)
        for path, expected in widened.items():
            torch.testing.assert_close(lifted[path], expected, rtol=1e-14, atol=0, msg=path)

    def test_without_lifting_there_is_no_double_run_and_both_sides_report_it(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x * 1
                    bits = y.view(torch.int32)
                    bits &= 0x7FFFFFFF
                    return y @ torch.ones(4, dtype=torch.float32)

            def get_inputs():
                return [torch.randn(4)]
        """)
        with shared_worker(fork_parent=True) as worker:
            folders = [f"{worker.scratch.name}/{name}" for name in ("one", "other")]
            answers = [
                worker.run(source, mode, fresh=True, artefacts=folder)
                for mode, folder in zip(("reference", "inductor_fp64"), folders, strict=True)
            ]
            ways = [
                header(f"{folder}/{mode}.run")["outcome"]["double_way"]
                for mode, folder in zip(("reference", "inductor_fp64"), folders, strict=True)
            ]
        self.assertEqual(ways, ["double", "double"])
        self.assertTrue(all("not lifted" in answer["evidence"]["warnings"][0] for answer in answers))
        self.assertTrue(all("no double run" in answer["evidence"]["warnings"][1] for answer in answers))

    def test_a_capture_fault_is_not_copied_by_lifting(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return (x * 2 if torch.compiler.is_compiling() else x) @ torch.ones(4, dtype=torch.float32)

            def get_inputs():
                return [torch.randn(4)]
        """)
        with shared_worker() as worker:
            evidence = worker.run(source, "eager", "inductor", "reference", "inductor_fp64")["evidence"]
        self.assertEqual(evidence["outcomes"]["reference"]["kind"], "raised")
        self.assertIn("double run: not lifted: captured, output is another", evidence["warnings"])

    def test_a_dropped_cast_shows_in_double(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x.half().float() * 1

            def get_inputs():
                return [torch.full((4,), 1 / 3)]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, "eager", "reference", "inductor_fp64")
        self.assertEqual(answer["evidence"]["outcomes"]["reference"]["double_way"], "double")
        dropped = leaves(answer, "eager", "reference")["output"].get("max_absolute", 0)
        self.assertLess(dropped, 1e-7)  # the cast is in the reference, too


def header(file: str) -> dict:
    with open(file, "rb") as artefact:
        artefact.readline()
        return json.loads(artefact.read(int(artefact.readline(), 16)))


if __name__ == "__main__":
    unittest.main()
