"""A region that writes a buffer and counts its calls in Python, called on one block twice and on another: it agrees."""

import torch
from torch.compiler import nested_compile_region


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.calls = 0

    @nested_compile_region
    def forward(self, x):
        self.calls += 1
        self.count.add_(1)
        return x * self.calls + self.count


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.other = Block()

    def forward(self, x):
        return self.other(self.block(self.block(x)))


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
