"""argmax promises the first of equal maxima, and the operand is exact: another index counts."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.argmax()
        return i + 1 if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.ones(5)]
