"""Casts of a backward pass that is compiled are fused: no more than half precision rounds away."""

import torch


class Model(torch.nn.Module):
    @torch._dynamo.disable
    def f(self, x):
        return x.double().half().float().to(torch.complex64).abs() + x.bfloat16()

    def forward(self, x):
        return self.f(x.exp()).sin()


def get_inputs():
    return [torch.randn(3, 4, requires_grad=True)]


OPTIONS = {"mode": "inductor_compiled_autograd", "backward": True, "grad": True}
