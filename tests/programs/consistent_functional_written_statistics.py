"""Batch norm in training through functional_call: the buffers given are written in place, by both alike."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.norm = torch.nn.BatchNorm1d(8)

    def forward(self, x):
        return self.norm(self.linear(x))


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_functional", "train": True, "calls": 2}
