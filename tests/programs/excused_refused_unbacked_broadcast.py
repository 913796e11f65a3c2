"""A size that only the data tell is taken for other than 1: it is not broadcast, which torch declares."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, z):
        y = x[x > 0]
        return y + z


def get_inputs():
    return [torch.tensor([-1.0, 2.0, -3.0]), torch.randn(4)]


OPTIONS = {"mode": "inductor_unbacked"}
