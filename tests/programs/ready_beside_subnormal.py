"""One input is subnormal, but the fault is in a normal one too: not held."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x * 2 if torch.compiler.is_compiling() else x
        return y * 2.0**100 * 2.0**30


def get_inputs():
    return [torch.tensor([1e-40, 2.0**-125, -3e-41])]
