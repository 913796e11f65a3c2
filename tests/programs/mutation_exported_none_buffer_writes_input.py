"""A buffer that is None at first is assigned: the exported module writes the value into the caller's input."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", None)

    def forward(self, x):
        self.last = x + 1
        return self.last * 2


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "exported"}
