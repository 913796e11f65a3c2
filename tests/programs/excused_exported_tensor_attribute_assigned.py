"""A tensor attribute that is no buffer is assigned in forward: export warns that it must be registered as a buffer."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.total = torch.zeros(3)

    def forward(self, x):
        self.total = self.total + x
        return self.total * 2


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "exported", "calls": 2}
