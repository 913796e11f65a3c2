"""An option that there is not; the right one would show a bug of gradients."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sin()


def get_inputs():
    return [torch.randn(8, 4)]


OPTIONS = {"backwards": True}
