"""Sums of large 32-bit integers that wrap before they are widened."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        total = a + b + a
        return total.sum(dim=1), (a * b).sum(dtype=torch.int64), total.to(torch.float64).mean(), (total // 7).amax(1)


def get_inputs():
    return [
        torch.full((3, 40), 1_400_000_000, dtype=torch.int32),
        torch.full((3, 40), 1_100_000_000, dtype=torch.int32),
    ]
