"""binary_op1: for a symbolic int on the left and the constant True on the right, bool counts as a proper
subtype of int with another nb slot, so w's slot is called with reverse=True first though bool does not
override it; where the flag is ignored n - True becomes True - n and n ** True becomes True ** n, while eager
gives n - 1 and n."""

import torch

OPTIONS = {"threads": 2, "dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        n = x.shape[0]
        a = n - True
        b = n // True
        c = n + True
        d = n * True
        return x + a, x * b, x + c, x * d, a, b, c, d


def get_inputs(scale=0):
    return [torch.arange(5.0 + 3 * scale)]
