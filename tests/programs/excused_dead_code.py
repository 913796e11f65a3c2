"""Eager raises in a statement whose result nothing reads; the compiler drops it with its error."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        unused = x[torch.tensor([10])]
        more = unused + 1  # noqa: F841
        return x * 2


def get_inputs():
    return [torch.arange(4.0)]
