"""A tensor inside a dict that an autograd.Function returns is outside its graph; compiled code makes it require
gradients."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, {"more": x + 1}

    @staticmethod
    def backward(ctx, grad, more):
        return grad * 100


class Model(torch.nn.Module):
    def forward(self, x):
        y, extra = Scale.apply(x)
        return y, extra["more"]


def get_inputs():
    return [torch.ones(3)]


OPTIONS = {"backward": True}
