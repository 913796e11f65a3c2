"""Outputs that share memory only when compiled: a write to one would change the other."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        return y, y if torch.compiler.is_compiling() else y.clone()


def get_inputs():
    return [torch.arange(6.0)]
