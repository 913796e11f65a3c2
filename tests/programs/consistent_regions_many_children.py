"""Twelve children of one class with a number each: more than the limit on recompilations, past which a call runs
eagerly; it agrees."""

import torch


class Block(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(x) * self.factor


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for number in range(12):
            setattr(self, f"block{number}", Block(number))

    def forward(self, x):
        for child in self.children():
            x = child(x).sin()
        return x


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_regions", "calls": 2}
