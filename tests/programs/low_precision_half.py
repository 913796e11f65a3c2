"""Inductor's sigmoid, a twentieth too large in half precision only: the double run cannot see it."""

import torch
from torch._inductor import lowering

SIGMOID, MUL = torch.ops.aten.sigmoid.default, torch.ops.aten.mul.Tensor
right = getattr(lowering.lowerings[SIGMOID], "right", lowering.lowerings[SIGMOID])


def wrong(x, *args, **kwargs):
    y = right(x, *args, **kwargs)
    return lowering.lowerings[MUL](y, 1.05) if x.get_dtype() == torch.float16 else y


wrong.right = right


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        lowering.lowerings[SIGMOID] = wrong

    def forward(self, x):
        return torch.sigmoid(x) * 2


def get_inputs():
    return [torch.linspace(-2, 2, 512).to(torch.float16)]
