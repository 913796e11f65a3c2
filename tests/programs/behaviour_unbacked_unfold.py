"""Windows over a dimension of unknown size: capturing finds their number without knowing the size, but the lowering
asks for it as a number and raises. The program needs no such number: unfold is a view."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.unfold(0, 2, 1).sum(-1)


def get_inputs():
    return [torch.randn(6, 4)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
