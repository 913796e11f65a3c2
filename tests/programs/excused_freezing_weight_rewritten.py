"""The weight is doubled after its use, in another graph: freezing has taken its first value, as its documentation
says."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(4, 6, 3)

    def forward(self, x):
        y = self.conv(x)
        torch._dynamo.graph_break()
        self.conv.weight.mul_(2)
        return y


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing", "calls": 2}
