"""The buffer is replaced and the old one returned: the exported module returns the new values for the old ones."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        before = self.total
        self.total = self.total + x
        return before, self.total


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "exported"}
