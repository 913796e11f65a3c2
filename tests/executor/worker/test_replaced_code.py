"""What a program replaces of torch's own code is told with the outcome, by warm processes and by fresh ones."""

import unittest

from driver import program, shared_worker
from test_process import doing
from test_programs import LINEAR

# What a program does, and what is told of it. The first in every process, the second where all of torch is looked at.
NEAR = {
    "torch.relu = torch.tanh": "torch.relu",
    "torch.Tensor.add = lambda self, other: self": "torch.Tensor.add",
    "setattr(torch.nn.functional, 'gelu', torch.tanh)": "torch.nn.functional.gelu",
    "from torch._inductor.lowering import lowerings as l; l[torch.ops.aten.exp.default] = lambda x: x": (
        "lowering aten.exp.default"
    ),
    "torch._inductor.decomposition.decompositions[torch.ops.aten.silu.default] = lambda x: x": (
        "decomposition aten.silu.default"
    ),
    "torch._decomp.register_decomposition(torch.ops.aten.convolution.default)(lambda x: x)": (
        "decomposition aten.convolution.default"
    ),
    "torch._inductor.config.max_fusion_size = 1": "torch._inductor.config.max_fusion_size",
    "torch._inductor.config.cpp.simdlen = 1": "torch._inductor.config.cpp.simdlen",
    "global kept; kept = torch.library.Library('aten', 'IMPL'); kept.impl('sinc', lambda x: x, 'CPU')": (
        "kernel aten/sinc/CPU"
    ),
}
FAR = {
    "import torch._inductor.scheduler as s; s.Scheduler.fuse_nodes = lambda self, nodes: nodes": (
        "torch._inductor.scheduler.Scheduler.fuse_nodes"
    ),
    "import torch._inductor.compile_fx as c; c.compile_fx_inner = lambda *a, **k: None": (
        "torch._inductor.compile_fx.compile_fx_inner"
    ),
}
HONEST = (
    LINEAR,
    program("""
        OPTIONS = {"inductor_config": {"max_fusion_size": 1}, "dynamo_config": {"cache_size_limit": 4}}

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = torch.nn.GELU()
                self.forward_hook = self.register_forward_hook(lambda module, inputs, output: output * 2)

            def forward(self, x):
                torch.manual_seed(3)
                return self.act(x).sort().values + torch.rand(2, 10)

        def get_inputs():
            torch.set_default_dtype(torch.float64)
            return [torch.randn(2, 10)]
    """),
    # torch.vmap registers kernels of torch's own operators at its first use.
    program("""
        class Model(torch.nn.Module):
            def forward(self, x):
                return torch.vmap(lambda row: row.sin().sum())(x)

        def get_inputs():
            return [torch.randn(2, 10)]
    """),
)


class ReplacedCode(unittest.TestCase):
    def replaced(self, source, *modes, fresh=True):
        with shared_worker(fork_parent=True) as worker:
            outcomes = worker.run(source, *modes, fresh=fresh)["evidence"]["outcomes"]
        return {mode: outcome["replaced"] for mode, outcome in outcomes.items()}

    def test_replaced_code_is_named(self):
        for statement, named in {**NEAR, **FAR}.items():
            with self.subTest(statement):
                self.assertEqual(self.replaced(doing(statement), "eager"), {"eager": [named]})

    def test_honest_programs_replace_nothing(self):
        for source in HONEST:
            told = self.replaced(source, "eager", "inductor", "inductor_precise", "aot_eager")
            self.assertEqual(told, dict.fromkeys(told, []))
        self.assertEqual(self.replaced(LINEAR, fresh=False), {"eager": [], "inductor": []})


if __name__ == "__main__":
    unittest.main()
