"""What max-autotune chooses among templates, a twentieth too large: only code that was autotuned is wrong, and there is
no template for double on the CPU."""

import torch
from torch._inductor import lowering, select_algorithm

OPTIONS = {"mode": "inductor_max_autotune", "inductor_config": {"freezing": True}}
MUL = torch.ops.aten.mul.Tensor
Chooser = select_algorithm.AlgorithmSelectorCache
right = getattr(Chooser.__call__, "right", Chooser.__call__)


def wrong(self, name, choices, *args, **kwargs):
    chosen = right(self, name, choices, *args, **kwargs)
    if all(isinstance(choice, select_algorithm.ExternKernelCaller) for choice in choices):
        return chosen
    if isinstance(chosen, tuple):
        return (lowering.lowerings[MUL](chosen[0], 1.05), *chosen[1:])
    return lowering.lowerings[MUL](chosen, 1.05)


wrong.right = right
Chooser.__call__ = wrong


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(128, 64)]
