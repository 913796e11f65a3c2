"""How the processor rounds."""

import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    ctypes.CDLL("libm.so.6").fesetround(0x800)  # up, on x86
    return [torch.randn(4, 5)]
