"""wrap_symfloat: for a dynamic Python float f, (f + 1e16) - 1e16 becomes a sympy expression over a real
symbol whose constants cancel to f, so 1.5 comes out, eager rounds twice in double and gives 2.0."""

import torch

OPTIONS = {"dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, f):
        g = (f + 1e16) - 1e16
        return x * g, g


def get_inputs(scale=0):
    return [torch.ones(3 + scale), 1.5 + scale]
