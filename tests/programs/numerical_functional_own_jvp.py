"""An autograd function has a jvp of its own; compiled, forward-mode differentiates its forward instead."""

import torch


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(output)

    @staticmethod
    def jvp(ctx, tangent):
        (y,) = ctx.saved_tensors
        return tangent * y * 2


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.func.jvp(Exponential.apply, (x,), (torch.ones_like(x),))


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
