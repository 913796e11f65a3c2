"""The result depends on where memory lies: eager differs from itself."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * (x.data_ptr() // 64 % 1_000_003)


def get_inputs():
    return [torch.ones(4)]
