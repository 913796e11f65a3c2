"""The gradient of cumsum asks whether there is more than one element, of a number of rows that is marked unknown: the
refusal of a size that only the data tell. Forward alone compiles."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.cumsum(0)


def get_inputs():
    return [torch.randn(4, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]], "backward": True}
