"""The C environment, which os.environ does not show."""

import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    ctypes.CDLL(None).setenv(b"CPATH", b"/tmp", 1)
    return [torch.randn(4, 5)]
