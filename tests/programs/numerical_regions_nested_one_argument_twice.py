"""A region first called with one tensor twice is used again for two different ones, of which it reads only the
first."""

import torch
from torch.compiler import nested_compile_region


@nested_compile_region
def region(x, y):
    return x - y * 2


class Model(torch.nn.Module):
    def forward(self, x):
        a, b = x.sin(), x.cos()
        return region(a, a), region(a, b)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
