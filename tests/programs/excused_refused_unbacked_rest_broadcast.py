"""The rest of two rows is one row, and eager broadcasts it. The number of rows is marked unknown: the compiler takes
the rest for other than one row and asserts that it equals the other size, which torch declares."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x[1:] + y


def get_inputs():
    return [torch.randn(2, 6), torch.randn(3, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
