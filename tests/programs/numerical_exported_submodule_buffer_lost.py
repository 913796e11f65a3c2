"""The buffer of a submodule is replaced in forward: non-strict export loses it without a word (the root's own is
kept)."""

import torch


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total = self.total + x
        return self.total * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter()

    def forward(self, x):
        return self.counter(x)


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "exported", "calls": 2}
