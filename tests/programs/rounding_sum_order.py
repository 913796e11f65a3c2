"""Another order of summation, within tolerance."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x - x.mean(1, keepdim=True)).pow(2).mean(1).sqrt()


def get_inputs():
    return [torch.randn(32, 300)]
