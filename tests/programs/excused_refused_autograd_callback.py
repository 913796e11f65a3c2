"""Compiled autograd takes queue_callback() only with fullgraph, and says so."""

import torch

L = []


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        torch.autograd.Variable._execution_engine.queue_callback(lambda: L.append(1))
        return g * 2


class Model(torch.nn.Module):
    @torch._dynamo.disable
    def f(self, x):
        return F.apply(x)

    def forward(self, x):
        return self.f(x.exp()).sin()


def get_inputs():
    return [torch.randn(3, 4, requires_grad=True)]


OPTIONS = {"mode": "inductor_compiled_autograd", "backward": True, "calls": 2, "grad": True}
