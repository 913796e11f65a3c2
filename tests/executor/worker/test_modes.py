"""Each mode runs what its name says."""

import struct
import unittest

from artefact import read
from driver import Worker, program
from test_programs import LINEAR, differing, leaves

EAGER = ("eager", "eager_repeat", "eager_noise", "reference")
INDUCTOR = ("", "_fp64", "_precise", "_dynamic", "_max_autotune", "_reduce_overhead", "_freezing")
LADDER = ("dynamo_eager", "aot_eager", "aot_eager_decomp_partition")
MODES = (*EAGER, *("inductor" + suffix for suffix in INDUCTOR), *LADDER)


class Modes(unittest.TestCase):
    def test_all_modes_agree_on_a_plain_program(self):
        with Worker() as worker:
            answer = worker.run(LINEAR, *MODES)
        outcomes = answer["evidence"]["outcomes"]
        self.assertEqual(sorted(outcomes), sorted(MODES))
        self.assertEqual({outcome["kind"] for outcome in outcomes.values()}, {"ran"})
        for mode, outcome in outcomes.items():
            self.assertEqual(outcome["graphs"], 0 if mode in EAGER else 1, mode)
        self.assertEqual(differing(leaves(answer, "reference", "inductor_fp64")), [])
        self.assertEqual(differing(leaves(answer, "eager", "aot_eager")), [])

    def test_double_modes_run_in_double(self):
        with Worker() as worker:
            folder = worker.scratch.name + "/artefacts"
            worker.run(LINEAR, "eager", "reference", "inductor_fp64", artefacts=folder)
            dtypes = {}
            for mode in ("eager", "reference", "inductor_fp64"):
                header, _ = read(f"{folder}/{mode}.run")
                self.assertEqual(header["mode"], mode)
                dtypes[mode] = {leaf["dtype"] for leaf in header["leaves"] if leaf["is_tensor"]}
        self.assertEqual(dtypes, {"eager": {"float32"}, "reference": {"float64"}, "inductor_fp64": {"float64"}})

    def test_noise_moves_every_input_by_one_ulp(self):
        with Worker(prime=False) as worker:
            folder = worker.scratch.name + "/artefacts"
            worker.run(LINEAR, "eager", "eager_noise", artefacts=folder)
            bits = []
            for mode in ("eager", "eager_noise"):
                header, storage = read(f"{folder}/{mode}.run")
                leaf = next(leaf for leaf in header["leaves"] if leaf["path"] == "input[0]")
                bits.append(struct.unpack("<20i", storage(leaf["storage"])))
        self.assertEqual({abs(a - b) for a, b in zip(*bits, strict=True)}, {1})

    def test_precise_keeps_rounding_between_fused_operators(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return ((x * 1.1) / 3 + x * 0.7) * 1.3

            def get_inputs():
                return [torch.randn(512).to(torch.bfloat16)]
        """)
        with Worker() as worker:
            answer = worker.run(source, "eager", "inductor", "inductor_precise")
            if worker.hello["torch"].split(".")[:2] < ["2", "12"]:
                self.skipTest("SKIPPED: precision casts had no effect on the CPU before torch 2.12")
        unequal = {m["actual"]: m["leaves"][-2].get("unequal", 0) for m in answer["evidence"]["measurements"]}
        self.assertGreater(unequal["inductor"], unequal["inductor_precise"])

    def test_a_program_without_double_run_says_so(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x @ torch.ones(3, 3, dtype=torch.float32)

            def get_inputs():
                return [torch.randn(3, 3)]
        """)
        with Worker(prime=False) as worker:
            evidence = worker.run(source, "eager", "reference")["evidence"]
        self.assertEqual(evidence["outcomes"]["reference"]["kind"], "raised")
        self.assertTrue(evidence["warnings"][0].startswith("no double run: reference: RuntimeError"))


if __name__ == "__main__":
    unittest.main()
