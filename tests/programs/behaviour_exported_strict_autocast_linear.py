"""Autocast in autocast: the module of a strict export fails in a multiplication of two dtypes."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.linear(x)
            with torch.autocast("cpu", enabled=False):
                z = self.linear(x) + y.float()
            w = self.linear(z)
        return w


def get_inputs():
    return [torch.ones(2, 4)]


OPTIONS = {"mode": "exported_strict"}
