"""Compiled code loops for ever in Python; eager is fine."""

import time

import torch


@torch.compiler.disable
def hang():
    while True:
        time.sleep(0.05)


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            hang()
        return x + 1


def get_inputs():
    return [torch.randn(3)]
