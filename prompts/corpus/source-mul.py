"""SymPyOps.mul: an int32 product of an index and a constant is kept as an unbounded SymPy product, so (i *
2**30) // 2**30 simplifies to i in floordiv (line 146), where eager wraps at 32 bits before it divides."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        i = torch.arange(x.shape[0], device=x.device, dtype=torch.int32)
        j = torch.div(i * 1073741824, 1073741824, rounding_mode="floor")
        return x + j


def get_inputs():
    return [torch.zeros(12, dtype=torch.int32)]


OPTIONS = {"threads": 2}
