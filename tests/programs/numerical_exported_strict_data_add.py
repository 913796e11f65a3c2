"""x.data.add_ is lost by strict export: neither the input nor the result sees it."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        x.data.add_(1)
        return x * 2


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "exported_strict"}
