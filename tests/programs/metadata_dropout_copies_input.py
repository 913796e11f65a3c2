"""Dropout in evaluation returns its input: writes to the output reach it. Compiled code returns a copy (torch 2.13).

The gradient of the output is that of the input, no second one."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sin(), torch.nn.functional.dropout(x, 0.3, False)


def get_inputs():
    return [torch.randn(5)]


OPTIONS = {"grad": True, "backward": True}
