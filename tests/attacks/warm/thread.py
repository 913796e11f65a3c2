"""A thread that Python does not know of."""

import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    libc = ctypes.CDLL(None)
    for _ in range(20):
        libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.pause, None)
    return [torch.randn(4, 5)]
