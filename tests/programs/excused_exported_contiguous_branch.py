"""Python's branch on the layout of an input is decided while exporting: the second call has another layout, nothing
is checked."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.is_contiguous() else x * 3


def get_inputs(scale=1):
    if scale == 1:
        return [torch.arange(12.0).view(3, 4)]
    return [torch.arange(12.0).view(4, 3).t()]


OPTIONS = {"mode": "exported", "calls": 2}
