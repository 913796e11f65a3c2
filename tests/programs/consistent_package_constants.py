"""Odd weights: conjugate, expanded, strided, infinite, empty; literals that are written. All agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("conj", torch.tensor([1 + 2j, 3 - 4j]).conj())
        self.register_buffer("wide", torch.arange(2.0).view(2, 1).expand(2, 3))
        self.register_buffer("every", torch.arange(6.0)[1::2])
        self.register_buffer("odd", torch.tensor([float("inf"), float("nan"), -0.0]))
        self.register_buffer("none", torch.zeros(0, 3))

    def forward(self, x):
        t = torch.tensor([1.0, 2.0, 3.0])
        t.add_(x)
        return self.conj + 1, self.wide * x, self.every + x, self.odd * x, self.none + 1, t


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "aot_inductor", "calls": 2}
