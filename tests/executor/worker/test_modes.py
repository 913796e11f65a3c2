"""Each mode runs what its name says."""

import pathlib
import struct
import sys
import unittest

from artefact import read
from driver import FOLDERS, program, shared_worker
from test_programs import LINEAR, differing, leaves

sys.path += FOLDERS
from mode_table import ROWS

EAGER = ("eager", "eager_repeat", "eager_noise", "eager_watched", "reference")
INDUCTOR = ("", "_fp64", "_precise", "_dynamic", "_max_autotune", "_reduce_overhead", "_freezing")
STAGE_MODES = tuple(name for name, row in ROWS.items() if row.look in ("stage", "trial"))
PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "programs"
MODES = (*EAGER, *("inductor" + suffix for suffix in INDUCTOR), *STAGE_MODES)


class Modes(unittest.TestCase):
    def test_all_modes_agree_on_a_plain_program(self):
        with shared_worker() as worker:
            answer = worker.run(LINEAR, *MODES)
        outcomes = answer["evidence"]["outcomes"]
        self.assertEqual(sorted(outcomes), sorted(MODES))
        self.assertEqual({outcome["kind"] for outcome in outcomes.values()}, {"ran"})
        for mode, outcome in outcomes.items():
            self.assertEqual(outcome["graphs"], 0 if mode in EAGER else 1, mode)
        self.assertEqual(differing(leaves(answer, "reference", "inductor_fp64")), [])
        self.assertEqual(differing(leaves(answer, "eager", "aot_eager")), [])

    def test_all_modes_support_training_with_mixed_types_and_other_sizes(self):
        source = program("""
            OPTIONS = {"calls": 3, "train": True, "backward": True}

            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = torch.nn.Linear(6, 4)
                    self.norm = torch.nn.BatchNorm1d(4)

                def forward(self, x):
                    return torch.relu(self.norm(self.linear(x))).half()

            def get_inputs(scale: int = 1):
                return [torch.randn(4 * scale, 6)]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, *MODES)
        kinds = {mode: outcome["kind"] for mode, outcome in answer["evidence"]["outcomes"].items()}
        self.assertEqual(kinds, dict.fromkeys(MODES, "ran"))
        self.assertEqual(differing(leaves(answer, "reference", "inductor_fp64")), [])
        groups = {"gradient.input[0]", "gradient.norm.weight", "buffer.norm.running_var", "parameter.linear.weight"}
        for mode in (*("inductor" + suffix for suffix in INDUCTOR if suffix != "_fp64"), *STAGE_MODES):
            found = leaves(answer, "eager", mode)
            self.assertLessEqual(groups, set(found), mode)
            rounding = {"gradient.linear.bias"}  # what cancels to nothing
            self.assertEqual(set(differing(found)) - rounding, set(), mode)

    def test_attention_without_dropout_draws_no_numbers(self):
        """Its operator has the tag all the same, and the finding would be held as one of random numbers."""
        source = """
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p={})

            def get_inputs():
                return [torch.randn(1, 2, 4, 8)]
        """
        with shared_worker() as worker:
            answers = [worker.run(program(source.format(share)), "eager", "inductor") for share in (0.0, 0.5)]
        without, dropping = (answer["evidence"]["outcomes"]["inductor"] for answer in answers)
        self.assertIn("attention", " ".join(without["operators"]))
        self.assertEqual(without.get("seeded", []), [])
        self.assertNotEqual(dropping.get("seeded", []), [])

    def test_double_modes_run_in_double(self):
        with shared_worker() as worker:
            folder = worker.scratch.name + "/artefacts"
            worker.run(LINEAR, "eager", "reference", "inductor_fp64", artefacts=folder)
            dtypes = {}
            for mode in ("eager", "reference", "inductor_fp64"):
                header, _ = read(f"{folder}/{mode}.run")
                self.assertEqual(header["mode"], mode)
                dtypes[mode] = {leaf["dtype"] for leaf in header["leaves"] if leaf["is_tensor"]}
        self.assertEqual(dtypes, {"eager": {"float32"}, "reference": {"float64"}, "inductor_fp64": {"float64"}})

    def test_noise_changes_only_rounded_values(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x / 49 * 49, x * 2, (x / 49 * 49).int(), (x * 2).int()

            def get_inputs():
                return [torch.arange(1.0, 100.0)]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, "eager", "eager_noise")
        found = leaves(answer, "eager", "eager_noise")
        moved = {path for path, leaf in found.items() if leaf.get("unequal")}
        self.assertEqual(moved, {"output[0]", "output[2]"})
        self.assertEqual(found["output[2]"]["max_absolute"], 1)
        self.assertLess(found["output[0]"]["max_absolute"], 99 * 2**-17)

    def test_noise_reveals_errors_and_shapes_that_depend_on_rounding(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x / 49 * 49
                    if (y > 99).any():
                        raise ValueError("above")
                    return y

            def get_inputs():
                return [torch.arange(1.0, 100.0)]
        """)
        with shared_worker() as worker:
            outcomes = worker.run(source, "eager", "eager_noise")["evidence"]["outcomes"]
            masked = worker.run(source.replace("return y", "return x[y < x]").replace("> 99", "> 999"), "eager_noise",
                                "eager")  # fmt: skip
        self.assertEqual(outcomes["eager"]["kind"], "ran")
        self.assertEqual(outcomes["eager_noise"]["error"]["outer_class"], "ValueError")
        self.assertTrue(leaves(masked, "eager", "eager_noise")["output"]["shape_differs"])

    def test_watched_run_names_undefined_values_and_affected_leaves(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    n = x.int()
                    kept = torch.empty(4)
                    kept[:2] = x[:2]
                    return n + 1, x + 1, kept, kept[:2] * 2, x.clamp(0, 1).sort().indices

            def get_inputs():
                return [torch.tensor([1.0, 2.0, 3e20])]
        """)
        with shared_worker() as worker:
            outcomes = worker.run(source, "eager", "eager_watched")["evidence"]["outcomes"]
        self.assertEqual(outcomes["eager"]["observations"], [])
        seen = {(o["rule"], o["elements"], *o["leaves"]) for o in outcomes["eager_watched"]["observations"]}
        self.assertEqual(
            seen,
            {
                ("cast_out_of_range", 1, "output[0]"),
                ("uninitialised_memory", 2, "output[2]"),
                ("tie_sort", 2, "output[4]"),
            },
        )

    def test_normal_runs_replace_subnormal_inputs_or_report_that_there_are_none(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x * 2.0**126

            def get_inputs():
                return [torch.tensor([1e-40, -1e-40, 1.0])]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, "eager", "eager_normal", artefacts=(folder := worker.scratch.name + "/a"))
            header, storage = read(f"{folder}/eager_normal.run")
            none = worker.run(source.replace("1e-40", "2.0"), "eager_normal")["evidence"]["outcomes"]["eager_normal"]
        self.assertEqual(answer["evidence"]["outcomes"]["eager_normal"]["kind"], "ran")
        leaf = next(leaf for leaf in header["leaves"] if leaf["path"] == "output")
        self.assertEqual(struct.unpack("<3f", storage(leaf["storage"])), (1.0, -1.0, 2.0**126))
        self.assertEqual(none["error"]["outer_class"], "NothingSubnormal")

    def test_assertions_of_the_compiler_are_not_private_operators_of_the_program(self):
        source = program("""
            OPTIONS = {"dynamo_config": {"capture_scalar_outputs": True}}

            class Model(torch.nn.Module):
                def forward(self, x):
                    count = (x > 0).sum().item()
                    torch._check(count <= x.numel())
                    return x.flatten()[:count]

            def get_inputs():
                return [torch.ones(6)]
        """)
        packet, overload = "aten._unsafe_view", "aten._unsafe_view.default"
        unsafe = source.replace("x.flatten()[:count]", f"torch.ops.{packet}(x, [2, 3]), torch.ops.{overload}(x, [6])")
        with shared_worker() as worker:
            for text, private in ((source, []), (unsafe, [packet, overload])):
                outcome = worker.run(text, "inductor")["evidence"]["outcomes"]["inductor"]
                self.assertEqual(outcome.get("private", []), private)

    def test_operators_that_passes_write_are_private(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x, w, scale, zero):
                    w = torch.ops.onednn.qlinear_prepack(w, None)
                    return torch.ops.CALLED(
                        x, scale, zero, w, scale, zero, None, 1.0, 0, torch.float32, "none", [], ""
                    )

            def get_inputs():
                x, w = torch.ones(1, 1, dtype=torch.uint8), torch.ones(1, 1, dtype=torch.int8)
                return [x, w, torch.ones(1), torch.zeros(1, dtype=torch.int64)]
        """)
        # Dynamo itself writes inductor.resize_storage_bytes_ for this.
        resized = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x.clone()
                    y.untyped_storage().resize_(64)
                    return y + 1

            def get_inputs():
                return [torch.ones(4)]
        """)
        with shared_worker() as worker:
            for called in ("onednn.qlinear_pointwise", "onednn.qlinear_pointwise.tensor"):
                answer = worker.run(source.replace("CALLED", called), "dynamo_eager")
                self.assertEqual(answer["evidence"]["outcomes"]["dynamo_eager"]["private"], [called])
            plain = worker.run(resized, "dynamo_eager")["evidence"]["outcomes"]["dynamo_eager"]
        self.assertEqual((plain["graphs"], plain["private"]), (1, []))

    def test_fallbacks_to_eager_are_noticed(self):
        source = program("""
            OPTIONS = {"calls": 2, "dynamo_config": {"recompile_limit": 1, "automatic_dynamic_shapes": False}}

            class Model(torch.nn.Module):
                def forward(self, x):
                    return x * x.shape[0]

            def get_inputs(scale: int = 1):
                return [torch.ones(4 * scale)]
        """)
        with shared_worker() as worker:
            limited = worker.run(source, "dynamo_eager")["evidence"]["outcomes"]["dynamo_eager"]
            free = worker.run(source.replace('"recompile_limit": 1, ', ""), "dynamo_eager")["evidence"]["outcomes"]
        self.assertIn("recompile_limit", limited["fallbacks"])
        self.assertEqual(free["dynamo_eager"]["fallbacks"], [])

    def test_precise_keeps_rounding_between_fused_operators(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return ((x * 1.1) / 3 + x * 0.7) * 1.3

            def get_inputs():
                return [torch.randn(512).to(torch.bfloat16)]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, "eager", "inductor", "inductor_precise")
            if worker.hello["torch"].split(".")[:2] < ["2", "12"]:
                self.skipTest("SKIPPED: precision casts had no effect on the CPU before torch 2.12")
        unequal = {m["actual"]: m["leaves"][-2].get("unequal", 0) for m in answer["evidence"]["measurements"]}
        self.assertGreater(unequal["inductor"], unequal["inductor_precise"])

    def test_an_autotuning_fault_shows_in_no_earlier_stage(self):
        source = (PROGRAMS / "counted_autotune_clone_fault.py").read_text()
        with shared_worker() as worker:
            answer = worker.run(source, "eager", *STAGE_MODES, "inductor_max_autotune")
            plain = worker.run(source, "inductor", choose_compiled=False)
            changed = worker.check()
        kinds = {mode: outcome["kind"] for mode, outcome in answer["evidence"]["outcomes"].items()}
        raised = dict.fromkeys(("inductor_uncompiled", "inductor_max_autotune"), "raised")
        self.assertEqual(kinds, {**dict.fromkeys(("eager", *STAGE_MODES), "ran"), **raised})
        self.assertEqual(plain["evidence"]["outcomes"]["inductor"]["kind"], "ran")
        self.assertIn("clone_preserve_strides", changed)

    def test_a_program_without_a_double_run_is_reported(self):
        source = program("""
            class Model(torch.nn.Module):
                @torch.compiler.disable
                def forward(self, x):
                    return x @ torch.ones(3, 3, dtype=torch.float32)

            def get_inputs():
                return [torch.randn(3, 3)]
        """)
        with shared_worker() as worker:
            evidence = worker.run(source, "eager", "reference")["evidence"]
        self.assertEqual(evidence["outcomes"]["reference"]["kind"], "raised")
        self.assertTrue(evidence["warnings"][0].startswith("double run: not lifted: NothingCaptured"))
        self.assertTrue(evidence["warnings"][1].startswith("no double run: reference: RuntimeError"))


if __name__ == "__main__":
    unittest.main()
