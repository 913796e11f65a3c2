"""A product of large weights is kept in float32 by switching autocast off around it. torch.compile assumes by default
that backward runs under forward's autocast (its page on autograd semantics): there the gradient overflows float16."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        with torch.autocast("cpu", enabled=False):
            y = x @ w
        return y * 100


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8, 8) * 1000]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16", "backward": True}
