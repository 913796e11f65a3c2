"""Convolution, batch norm without affine part and of a large eps, scale, shift: all folded into one weight; rounding
alone differs."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(4, 8, 3, groups=2, bias=False)
        self.norm = torch.nn.BatchNorm2d(8, affine=False, eps=0.3)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)
        self.scale = torch.nn.Parameter(torch.randn(8, 1, 1))

    def forward(self, x):
        return (self.norm(self.conv(x)) * self.scale - self.scale).relu()


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing"}
