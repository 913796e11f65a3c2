"""How the processor rounds."""

import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    ctypes.CDLL("libm.so.6").fesetround(0x800)  # up, on x86
    return [torch.randn(4, 5)]


# ==== the next program
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        assert (torch.tensor(1.0) + 1e-9).item() == 1
        return [x]


def get_inputs():
    return [1]
