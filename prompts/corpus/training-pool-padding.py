"""Padded average pooling that does not count its padding, under backward."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        y = F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)
        z = F.avg_pool1d(x.flatten(2), 5, stride=4, padding=2, ceil_mode=True)
        return y.sigmoid(), z


def get_inputs():
    return [torch.randn(1, 2, 6, 6)]


OPTIONS = {"backward": True, "grad": True}
