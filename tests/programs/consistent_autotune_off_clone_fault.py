"""The fault of counted_autotune_clone_fault, not autotuned: nothing is wrong."""

import torch
from torch._inductor import autotune_process, compile_fx

OPTIONS = {"mode": "inductor", "inductor_config": {"freezing": True, "triton.autotune_pointwise": False}}
Request = autotune_process.CppBenchmarkRequest
prepare = getattr(Request.make_run_fn, "right", Request.make_run_fn)


def out_of_bounds(tensor):
    raise IndexError(f"a copy of {tensor.numel()} elements reaches out of bounds")


def copy_first(self, *inputs, **outputs):
    for written in outputs.values():
        compile_fx.clone_preserve_strides(written)
    return prepare(self, *inputs, **outputs)


copy_first.right = prepare
Request.make_run_fn = copy_first
compile_fx.clone_preserve_strides = out_of_bounds


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before = torch.nn.Linear(64, 64)
        self.after = torch.nn.Linear(64, 64)

    def forward(self, x):
        after = self.after(torch.relu(self.before(x)))
        x.add_(1)
        return after


def get_inputs():
    return [torch.randn(128, 64)]
