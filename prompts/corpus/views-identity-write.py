"""A layer that does nothing in eval mode hands its input on, and the result is written to."""

import torch
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        y = self.drop(x)
        y.mul_(2.0)
        return y + 1


def get_inputs():
    return [torch.arange(6.0)]
