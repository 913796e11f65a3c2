"""A constant of shape (1, C) belongs to the width of an image; freezing folds it into the weight as if it belonged to
the channels."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(4, 8, 3, padding=1)
        self.scale = torch.nn.Parameter(torch.randn(1, 8))

    def forward(self, x):
        return self.conv(x) * self.scale


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing"}
