"""A custom function's backward asks whether autocast is on. By default torch.compile assumes that backward runs under
the autocast of forward, as its page on autograd semantics says; eager's backward runs outside it and gets another
answer."""

import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * (3 if torch.is_autocast_enabled("cpu") else 5)


class Model(torch.nn.Module):
    def forward(self, x):
        return Scaled.apply(x)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16", "backward": True}
