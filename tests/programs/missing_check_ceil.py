"""Eager has no such kernel; the compiled program accepts (umbrella issue 198155)."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.ceil(x)


def get_inputs():
    return [torch.tensor([True, False, True])]
