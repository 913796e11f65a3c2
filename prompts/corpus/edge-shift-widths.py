"""Shifts and bit masks of small integers."""

import torch


class Model(torch.nn.Module):
    def forward(self, bits, by):
        up = bits << by
        down = bits >> by
        return up, down, (bits & 15) ^ 5, ~bits | by, (up >> by) == bits


def get_inputs():
    return [torch.randint(-128, 128, (20,), dtype=torch.int8), torch.arange(20, dtype=torch.int8) % 7]
