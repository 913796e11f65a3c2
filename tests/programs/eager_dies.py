"""Eager itself dies: no judgement about the compiler."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        import os

        os.abort()


def get_inputs():
    return [torch.randn(3)]
