"""Gumbel-softmax draws exponential noise, and another output needs the same input. Backward draws the noise again:
the gradient belongs to another sample than forward's."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.gumbel_softmax(x, hard=True), x.sin()


def get_inputs():
    return [torch.randn(8, 8)]


OPTIONS = {"mode": "inductor_recomputation", "backward": True}
