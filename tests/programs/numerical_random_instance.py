"""A random.Random of the module: the second compiled call goes on from a wrong state."""

import random

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.random = random.Random(5)

    def forward(self, x):
        return x + self.random.randint(1, 1000)


def get_inputs():
    return [torch.ones(2)]


OPTIONS = {"calls": 3}
