"""Instance normalisation of flattened maps before a linear layer."""

import torch
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(3, affine=True)
        self.bn = nn.BatchNorm1d(3 * 16)
        self.out = nn.Linear(48, 2)

    def forward(self, x):
        return self.out(self.bn(self.norm(x).flatten(1)).relu())


def get_inputs():
    return [torch.randn(4, 3, 4, 4)]


OPTIONS = {"train": True}
