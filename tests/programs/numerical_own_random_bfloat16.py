"""Compiled with random numbers of its own, torch.rand in bfloat16 reaches 1, which it promises not to: Inductor draws
in single precision and rounds."""

import torch

OPTIONS = {"own_random": True}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.rand_like(x)


def get_inputs():
    return [torch.randn(64, 16).bfloat16()]
