"""The first block's two parameters are one, the second's are not: the region compiled for the first reads one of them
for both."""

import torch
from torch.compiler import nested_compile_region


class Block(torch.nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.p = torch.nn.Parameter(torch.randn(8))
        self.q = self.p if tied else torch.nn.Parameter(torch.randn(8))

    @nested_compile_region
    def forward(self, x):
        return x * self.p + self.q


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(True)
        self.second = Block(False)

    def forward(self, x):
        return self.second(self.first(x))


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
