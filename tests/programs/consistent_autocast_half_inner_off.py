"""A product of large weights is kept in float32 by switching autocast off around it, in backward as well: under
forward's autocast, which the compiler assumes unless it is told, the gradient would overflow float16."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        with torch.autocast("cpu", enabled=False):
            y = x @ w
        return y * 100


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8, 8) * 1000]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16", "backward": True}
