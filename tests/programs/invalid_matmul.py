"""Inner sizes do not match: both sides raise."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.mm(a, b) + b


def get_inputs():
    return [torch.randn(2, 10), torch.randn(2, 10)]
