"""force_save_bw_mutation_src: a primal mutated in forward and again in the backward of an autograd.Function
is protected only by marking the source of the forward copy_, not the nodes that read the primal, so
backward's recomputed reads see the mutated tensor and compiled gradient and final value differ from eager."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, buf):
        s = torch.sin(buf)
        ctx.save_for_backward(s)
        ctx.buf = buf
        return x * s

    @staticmethod
    def backward(ctx, g):
        (s,) = ctx.saved_tensors
        ctx.buf.mul_(2.0)
        return g * s, None


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.linspace(-1.0, 1.0, 8))

    def forward(self, x):
        y = Scale.apply(x, self.b)
        self.b.add_(1.0)
        return y


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"backward": True}
