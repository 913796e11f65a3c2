"""A custom function multiplies in float16 by autocast and has no custom_bwd. Backward runs outside of autocast and
refuses the mixed dtypes, compiled or not."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), x.t() @ g


class Model(torch.nn.Module):
    def forward(self, x, w):
        return Product.apply(x, w)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8, 8)]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16", "backward": True}
