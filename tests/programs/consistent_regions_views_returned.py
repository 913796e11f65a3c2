"""A compiled child returns its input, views of it and of one another, which the eager model writes through: all stay
views."""

import torch


class Views(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return x[1:], x.view(-1), y, y[1:], y.view(-1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.views = Views()

    def forward(self, x):
        parts = self.views(x)
        x.add_(1)
        parts[2].mul_(3)
        return parts


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_regions"}
