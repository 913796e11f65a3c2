"""One-dimensional resizing by a factor just above one."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        y = F.interpolate(x, scale_factor=1.2, mode="nearest")
        return y, (y - x[..., : y.shape[-1]]).abs().sum()


def get_inputs():
    return [torch.arange(4.0).reshape(1, 1, 4)]
