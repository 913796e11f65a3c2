"""A biased product whose factors are neither zero nor one."""

import torch
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 5))
        self.bias = nn.Parameter(torch.randn(5))

    def forward(self, x):
        plain = torch.addmm(self.bias, x, self.weight, beta=0.5, alpha=2.0)
        grown = torch.baddbmm(plain[None], x[None], self.weight[None], beta=0.0, alpha=-1.5)
        return plain.relu(), grown, self.bias + torch.mm(x, self.weight) * 3


def get_inputs():
    return [torch.randn(4, 6)]


OPTIONS = {"mode": "inductor_freezing"}
