"""Freezing folds a batch norm into a transposed convolution along the input channels of its weight, not the output
ones."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.ConvTranspose2d(4, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.norm.running_var.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))

    def forward(self, x):
        return self.norm(self.conv(x))


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing"}
