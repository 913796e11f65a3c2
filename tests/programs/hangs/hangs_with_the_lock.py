"""Compiled code sleeps for ever in C without giving up the interpreter lock; eager is fine."""

import ctypes

import torch


@torch.compiler.disable
def hang():
    ctypes.PyDLL(None).sleep(7654321)


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            hang()
        return x + 1


def get_inputs():
    return [torch.randn(3)]
