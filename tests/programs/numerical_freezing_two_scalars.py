"""Freezing keeps the number added after a convolution under one name for all: the second convolution gets the first
one's."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Conv2d(4, 6, 3)
        self.b = torch.nn.Conv2d(4, 6, 3)

    def forward(self, x):
        return self.a(x) + 1.5, self.b(x) + 2.5


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing"}
