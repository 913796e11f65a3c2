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


# ==== the next program
import re

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        caught = re.search("SigCgt:\\s*(\\w+)", open("/proc/self/status").read())[1]
        assert not int(caught, 16) & 1 << 9
        return [x]


def get_inputs():
    return [1]
