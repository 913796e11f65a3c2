"""A power of a Python integer overflows 64 bits in compiled code, where Python is exact."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, n):
        return x * (n**4 % 1000)


def get_inputs(scale=1):
    return [torch.ones(3), 3000017 * scale + 5]


OPTIONS = {"calls": 3}
