"""A second call with the same dict in another order: AOTInductor takes one entry for the other."""

import torch


class Model(torch.nn.Module):
    def forward(self, d):
        return d["a"] - d["b"] * 2


def get_inputs(scale=1):
    a = torch.tensor([5.0, 6.0, 7.0])
    b = torch.tensor([1.0, 1.0, 1.0])
    if scale == 1:
        return [{"a": a, "b": b}]
    return [{"b": b, "a": a}]


OPTIONS = {"mode": "aot_inductor", "calls": 2}
