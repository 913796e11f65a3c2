"""Dropout on a transposed copy, with gradients through the mask."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 6)

    def forward(self, x):
        h = F.dropout(self.mix(x).transpose(1, 2).contiguous(), 0.4, self.training)
        g = F.dropout1d(h, 0.2, self.training)
        return g.transpose(1, 2), h.mean()


def get_inputs():
    return [torch.randn(3, 5, 6)]


OPTIONS = {"train": True, "backward": True, "grad": True}
