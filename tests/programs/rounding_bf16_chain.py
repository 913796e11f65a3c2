"""Fused code keeps float32 between low-precision steps: rounding the program did not ask for."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.bfloat16()
        return ((y * 1.01 + 0.3).sigmoid() * y - y).float().sum()


def get_inputs():
    return [torch.randn(4096)]
