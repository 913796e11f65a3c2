"""dropout: with training=False the decomposition returns input.clone(), eager's dropout returns the input
itself, so an in-place write to the result must reach x and does not when compiled."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = F.dropout(x, 0.5, training=False)
        y.mul_(2.0)
        z = F.dropout(x, 0.0, training=True)
        z.add_(1.0)
        return y, z, x + 0.0


def get_inputs():
    return [torch.arange(4.0)]


OPTIONS = {"own_random": True}
