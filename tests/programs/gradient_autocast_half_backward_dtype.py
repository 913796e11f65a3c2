"""A custom function's backward rounds to the type that autocast would take: outside autocast that is bfloat16, and
the settings say that backward is outside. Compiled backward rounds to forward's float16, where large values are
infinite."""

import torch


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return (g * 100000).to(torch.get_autocast_dtype("cpu")).to(g.dtype)


class Model(torch.nn.Module):
    def forward(self, x):
        return Rounded.apply(x)


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {
    "mode": "inductor_autocast_half",
    "autocast": "float16",
    "backward": True,
    "functorch_config": {"backward_pass_autocast": "off"},
}
