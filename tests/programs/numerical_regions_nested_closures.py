"""Two regions made by one function differ in the number they close over; the second is given the first one's compiled
code."""

import torch
from torch.compiler import nested_compile_region


def make(factor):
    @nested_compile_region
    def region(x):
        return x * factor

    return region


double, triple = make(2.0), make(3.0)


class Model(torch.nn.Module):
    def forward(self, x):
        return double(x), triple(x)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
