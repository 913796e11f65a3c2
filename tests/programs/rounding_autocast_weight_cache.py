"""Eager autocast keeps the cast of a weight for the whole block, as documented, though the weight is written;
compiled code casts it anew."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8, bias=False)

    def forward(self, x):
        a = self.linear(x)
        with torch.no_grad():
            self.linear.weight.mul_(2)
        return a, self.linear(x)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "autocast": "bfloat16", "grad": True}
