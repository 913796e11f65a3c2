"""A child gets a tensor with the negative bit set, the imaginary part of a conjugate: its compiled code reads the
memory without the sign."""

import torch


class Twice(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.twice = Twice()

    def forward(self, x):
        return self.twice(torch.complex(x, x + 1).conj().imag)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_regions"}
