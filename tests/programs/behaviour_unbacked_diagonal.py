"""The diagonal of a matrix with an unknown number of rows has min(rows, columns) elements, a size like any other for
capturing. The lowering of diagonal wants to know which is smaller and raises a TypeError."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.diagonal() * 2


def get_inputs():
    return [torch.randn(4, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
