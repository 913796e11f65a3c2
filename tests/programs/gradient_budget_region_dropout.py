"""Dropout in a nested region under a memory budget: backward draws another mask than forward had."""

import torch
from torch.compiler import nested_compile_region


@nested_compile_region
def region(x, weight):
    return torch.nn.functional.dropout((x @ weight).tanh(), 0.5)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(16, 16) / 4)

    def forward(self, x):
        for _ in range(3):
            x = region(x, self.weight)
        return x


def get_inputs():
    return [torch.randn(16, 16)]


OPTIONS = {"mode": "inductor_memory_budget", "backward": True, "train": True}
