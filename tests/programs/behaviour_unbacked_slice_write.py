"""Writes to slices that end at a number the data tell: lowering asks for its sign and raises; reads compile."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, i):
        a = i.item()
        y = x.clone()
        y[a:] += 1
        y[:a] *= 2
        return y


def get_inputs():
    return [torch.randn(10), torch.tensor(-2)]


OPTIONS = {"mode": "inductor_unbacked"}
