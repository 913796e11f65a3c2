"""All rows but the first, of an unknown number of rows that is 2: one row is left, and squeeze drops the dimension.
The compiler takes the remaining size for other than 1 without asserting it; making the view again then fails."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[1:].squeeze(0)


def get_inputs():
    return [torch.randn(2, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
