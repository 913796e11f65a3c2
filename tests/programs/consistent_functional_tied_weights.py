"""Two layers share a weight, given once under one name: functional_call ties it, and its gradient has both parts."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x).sin())


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_functional", "backward": True}
