"""A custom function's backward asks whether autocast is on. Backward runs outside autocast, and the settings say so,
but the answer of forward, yes, is a constant of the compiled backward."""

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


OPTIONS = {
    "mode": "inductor_autocast_half",
    "autocast": "float16",
    "backward": True,
    "functorch_config": {"backward_pass_autocast": "off"},
}
