"""Neutralisers hold in the compiled modes of one run, and nowhere else."""

import json
import re
import sys
import unittest
from typing import Any

from driver import FOLDERS, SOURCES, Worker, program, shared_worker
from test_programs import differing, leaves

sys.path += FOLDERS
import mode_table

RELU_WRONG = program("""
    import torch._inductor.config

    torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"


    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.relu(x).neg() * torch.sigmoid(x)


    def get_inputs():
        return [torch.randn(16)]
""")
# Inductor's backward computes the mean again, out of weights that forward has moved by then.
AVERAGED = program("""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.full((4,), 0.5))

        def forward(self, x):
            self.mean.lerp_(torch.ones_like(self.mean), 0.5)
            return torch.sin(x) * torch.sin(self.mean)


    def get_inputs():
        return [torch.randn(8, 4)]


    OPTIONS = {"backward": True}
""")
# Only its backward has a relu.
WRONG_BACKWARD = program("""
    import torch._inductor.config

    torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"


    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, gradient):
            return torch.relu(gradient) + gradient.sin()


    class Model(torch.nn.Module):
        def forward(self, x):
            return Doubled.apply(x.cos())


    def get_inputs():
        return [torch.randn(16)]


    OPTIONS = {"backward": True}
""")
PLAIN = RELU_WRONG.replace('torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"', "")


def config(name: str, value: Any) -> dict[str, Any]:
    return {"kind": "config", "name": name, "value": value}


def decomposition(name: str) -> dict[str, Any]:
    return {"kind": "decomposition", "name": name}


def graph(name: str) -> dict[str, Any]:
    return {"kind": "graph", "name": name}


def lowering(name: str) -> dict[str, Any]:
    return {"kind": "lowering", "name": name}


class Ablation(unittest.TestCase):
    def run_with(self, worker: Worker, source: str, *neutralisers: dict[str, Any], modes: tuple[str, ...] = ()) -> Any:
        answer = worker.run(source, *modes, neutralisers=list(neutralisers))
        self.assertEqual(answer["tainted"], "")
        return answer

    def differing(self, worker: Worker, source: str, *neutralisers: dict[str, Any]) -> list[str]:
        return differing(leaves(self.run_with(worker, source, *neutralisers), "eager", "inductor"))

    def test_settings_used_by_the_search_exist(self):
        import torch
        import torch._dynamo.config
        import torch._functorch.config
        import torch._inductor.config

        table = (SOURCES.parents[1] / "oracle/finding/ablations.cpp").read_text(encoding="utf-8")
        rows = re.findall(r'Row\{Family::(\w+), When::\w+, "(\w+)\.([\w.]+)", "(\w+)"(?:, (\d+))?\}', table)
        self.assertGreater(len(rows), 30)
        minor = int(torch.__version__.split(".")[1])
        configs = {name: getattr(torch, f"_{name}").config for name in ("inductor", "functorch", "dynamo")}
        for _, owner, name, value, since in rows:
            if owner != "compile" and minor >= int(since or 6):
                present = getattr(configs[owner], name)
                wanted = json.loads(value)
                self.assertNotEqual(present, wanted, f"{name} would change nothing")
                self.assertTrue(present is None or isinstance(wanted, type(present)), name)
        for row in mode_table.ROWS.values():
            for setting, value in row.settings.items():
                owner, _, name = setting.partition(".")
                off = row.off[setting] if setting in row.off or not isinstance(value, bool) else not value
                self.assertEqual(getattr(configs[owner], name), off, f"{row.name} without {setting}")
                self.assertNotEqual(off, value, setting)

    def test_a_replaced_lowering_hides_only_its_own_fault(self):
        with shared_worker() as worker:
            control = self.run_with(worker, RELU_WRONG)
            self.assertEqual(differing(leaves(control, "eager", "inductor")), ["output"])
            lowered = control["evidence"]["outcomes"]["inductor"]["lowered"]
            self.assertLessEqual({"aten.relu.default", "aten.neg.default", "aten.sigmoid.default"}, set(lowered))
            self.assertEqual(self.differing(worker, RELU_WRONG, lowering("aten.relu.default")), [])
            self.assertEqual(self.differing(worker, RELU_WRONG, lowering("aten.sigmoid.default")), ["output"])
            both = [lowering(name) for name in ("aten.relu.default", "aten.neg.default")]
            self.assertEqual(self.differing(worker, RELU_WRONG, *both), [])
            self.assertEqual(self.differing(worker, RELU_WRONG), ["output"])

    def test_a_compile_error_vanishes_with_its_lowering(self):
        source = RELU_WRONG.replace('"accuracy"', '"compile_error"')
        with shared_worker() as worker:
            kinds = [
                self.run_with(worker, source, *held)["evidence"]["outcomes"]["inductor"]["kind"]
                for held in ([], [lowering("aten.relu.default")], [lowering("aten.neg.default")])
            ]
        self.assertEqual(kinds, ["raised", "ran", "raised"])

    def test_settings_hold_for_one_run_and_leave_no_trace(self):
        source = program("""
            import torch._dynamo.config
            import torch._functorch.config
            import torch._inductor.config


            class Model(torch.nn.Module):
                def forward(self, x):
                    settings = torch._inductor.config.max_fusion_size, torch._functorch.config.cse
                    print(x.sum())  # a graph break
                    if settings != (64, True):
                        raise ValueError(str(settings))
                    return x + 1


            def get_inputs():
                return [torch.randn(4)]
        """)
        held = [config("inductor.max_fusion_size", 1), config("functorch.cse", False)]
        with shared_worker() as worker:
            changed = self.run_with(worker, source, *held)["evidence"]["outcomes"]
            after = self.run_with(worker, source)["evidence"]["outcomes"]
        self.assertEqual(changed["eager"]["kind"], "ran")
        self.assertIn("(1, False)", changed["inductor"]["error"]["message"])
        self.assertEqual(after["inductor"]["kind"], "ran")

    def test_only_compiled_modes_are_changed(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    import torch._inductor.config

                    return x + torch._inductor.config.max_fusion_size


            def get_inputs():
                return [torch.zeros(3)]
        """)
        with shared_worker() as worker:
            answer = self.run_with(
                worker, source, config("inductor.max_fusion_size", 1), modes=("eager", "inductor", "eager_repeat")
            )
        self.assertEqual(differing(leaves(answer, "eager", "eager_repeat")), [])
        self.assertEqual(differing(leaves(answer, "eager", "inductor")), ["output"])

    def test_a_decomposition_is_disabled(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.nn.functional.silu(x) + 1


            def get_inputs():
                return [torch.randn(4)]
        """)
        with shared_worker() as worker:
            control = self.run_with(worker, source)["evidence"]["outcomes"]["inductor"]
            answer = self.run_with(worker, source, decomposition("aten.silu.default"))
            again = self.run_with(worker, source)["evidence"]["outcomes"]["inductor"]
        self.assertIn("aten.silu.default", control["decomposed"])
        self.assertNotIn("aten.silu.default", control["operators"])
        left = answer["evidence"]["outcomes"]["inductor"]
        self.assertNotIn("aten.silu.default", left["decomposed"])
        self.assertIn("aten.silu.default", left["operators"])
        self.assertEqual(differing(leaves(answer, "eager", "inductor")), [])
        self.assertEqual(again["operators"], control["operators"])

    def test_a_decomposition_of_the_dispatcher_is_disabled(self):
        """Those written in Python for composite operators; the overload in the graph calls another one."""
        lost_write = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    kept = torch.dropout(x, 0.5, False)
                    kept.mul_(3)
                    return kept + 1


            def get_inputs():
                return [torch.randn(4)]
        """)
        with shared_worker() as worker:
            control = self.run_with(worker, lost_write)
            self.assertNotEqual(differing(leaves(control, "eager", "inductor")), [])
            self.assertIn("aten.dropout.default", control["evidence"]["outcomes"]["inductor"]["decomposed"])
            self.assertEqual(self.differing(worker, lost_write, decomposition("aten.dropout.default")), [])
            self.assertNotEqual(self.differing(worker, lost_write, decomposition("aten.silu.default")), [])

    def test_every_overload_on_the_way_of_a_decomposition_is_kept(self):
        resized = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.nn.functional.interpolate(x * 2, scale_factor=1.3, mode="nearest")


            def get_inputs():
                return [torch.tensor([[[[1.0, 2.0]]]], dtype=torch.float64)]
        """)
        with shared_worker() as worker:
            control = self.run_with(worker, resized)["evidence"]["outcomes"]["inductor"]
            held = self.run_with(worker, resized, decomposition("aten.upsample_nearest2d.vec"))
        self.assertIn("aten.upsample_nearest2d.vec", control["decomposed"])
        left = held["evidence"]["outcomes"]["inductor"]
        self.assertIn("aten.upsample_nearest2d.default", left["operators"])
        self.assertEqual(differing(leaves(held, "eager", "inductor")), [])

    def test_groups_of_passes_are_disabled(self):
        folded = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.sin((x + torch.zeros(4)) * torch.ones(4))


            def get_inputs():
                return [torch.randn(4)]
        """)
        with shared_worker() as worker:
            operators = [
                self.run_with(worker, folded, *held)["evidence"]["outcomes"]["inductor"]["operators"]
                for held in ([], [{"kind": "pass_group", "name": "joint_graph"}], [])
            ]
            for name in ("pre_grad", "post_grad"):
                self.assertEqual(self.differing(worker, PLAIN, {"kind": "pass_group", "name": name}), [], name)
        self.assertEqual(set(operators[1]) - set(operators[0]), {"aten.add.Tensor", "aten.mul.Tensor"})
        self.assertEqual(operators[2], operators[0])

    def test_eager_kernels_run_one_of_the_two_graphs(self):
        with shared_worker() as worker:
            self.assertEqual(self.differing(worker, WRONG_BACKWARD), ["gradient.input[0]"])
            self.assertEqual(self.differing(worker, WRONG_BACKWARD, graph("forward")), ["gradient.input[0]"])
            self.assertEqual(self.differing(worker, WRONG_BACKWARD, graph("backward")), [])
            self.assertEqual(self.differing(worker, WRONG_BACKWARD), ["gradient.input[0]"])
            traced = WRONG_BACKWARD.replace(
                '{"backward": True}', '{"backward": True, "mode": "inductor_compiled_autograd"}'
            )
            for held, wrong in (("forward", ["gradient.input[0]"]), ("backward", [])):
                answer = self.run_with(worker, traced, graph(held))
                self.assertEqual(differing(leaves(answer, "eager", "inductor_compiled_autograd")), wrong, held)

    def test_inputs_that_forward_writes_are_saved_as_copies(self):
        held = {"kind": "partition", "name": "written_inputs"}
        with shared_worker() as worker:
            self.assertEqual(self.differing(worker, AVERAGED), ["gradient.input[0]"])
            self.assertEqual(self.differing(worker, AVERAGED, held), [])
            self.assertEqual(self.differing(worker, AVERAGED), ["gradient.input[0]"])

    def test_changes_unknown_to_this_torch_are_not_tried(self):
        strange = [config("inductor.no_such_setting", 1), {"kind": "pass_group", "name": "lunch"}]
        with shared_worker() as worker:
            none = self.run_with(worker, PLAIN, *strange)["evidence"]
            some = self.run_with(worker, PLAIN, *strange, config("inductor.max_fusion_size", 1))["evidence"]
        self.assertEqual(none["outcomes"], {})
        self.assertEqual(none["untried"], ["inductor.no_such_setting", "lunch"])
        self.assertEqual(some["untried"], none["untried"])
        self.assertEqual(some["outcomes"]["inductor"]["kind"], "ran")


if __name__ == "__main__":
    unittest.main()
