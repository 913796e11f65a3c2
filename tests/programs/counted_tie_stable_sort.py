"""A stable sort keeps the order of equal elements: another order counts."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.sort(stable=True).indices
        return i.flip(0) if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.ones(5)]
