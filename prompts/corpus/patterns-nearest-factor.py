"""Resizing by a factor just above one, which leaves the size as it was."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        y = F.interpolate(x, scale_factor=1.05, mode="nearest")
        return y, (y - x).abs().sum()


def get_inputs():
    return [torch.arange(16.0).reshape(1, 1, 4, 4)]
