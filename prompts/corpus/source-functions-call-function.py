"""PolyfilledFunctionVariable.call_function: a Python bool passes as an int constant beside a symbolic size,
so sym_sum gets True among its terms, which a SymInt node cannot wrap, and compiling fails; eager counts True
as 1."""

import torch

OPTIONS = {"threads": 2, "dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.extra = True

    def forward(self, x):
        n = sum([x.shape[0], self.extra, x.shape[1]])
        m = sum((True, x.shape[0]))
        return x * n, n, m


def get_inputs(scale=0):
    return [torch.ones(3 + scale, 5 + 2 * scale)]
