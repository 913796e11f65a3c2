"""Dropout, permutation and normal numbers drawn in a new thread: the generator is the process's, and the numbers
agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = torch.nn.functional.dropout(self.linear(x), 0.5, True)
        return y, torch.randperm(4), torch.randn(2)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_threads", "calls": 3}
