"""Cancellation leaves nothing but rounding, and sums have another order."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        d = x.sum(1) - x.double().sum(1).float()
        return torch.relu(d * 1e6) + x.mean(1)


def get_inputs():
    return [torch.randn(32, 1000)]


OPTIONS = {"mode": "inductor_cpp_wrapper"}
