"""A handler that Python does not know of."""

import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    libc = ctypes.CDLL(None)
    libc.signal(10, libc.abs)
    return [torch.randn(4, 5)]
