"""Compiles what the one before it would have spoilt."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2 + 8.5


def get_inputs():
    return [torch.randn(4, 5)]
