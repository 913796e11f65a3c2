"""argmax of exact values, wrong in single precision only: no rounding can excuse it."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        wrong = torch.compiler.is_compiling() and x.dtype == torch.float32
        y = x.argmin()
        return y + 1 if wrong else y


def get_inputs():
    return [torch.ones(5)]
