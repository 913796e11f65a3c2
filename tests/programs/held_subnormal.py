"""Subnormal inputs are flushed to zero when compiled: held, and gone with normal inputs."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.where(x.abs() < 1.17e-38, 0.0, x) if torch.compiler.is_compiling() else x
        return y * 2.0**100 * 2.0**30


def get_inputs():
    return [torch.tensor([1e-40, 2.0**-125, -3e-41])]
