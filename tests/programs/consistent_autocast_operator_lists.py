"""Operators of autocast's lists, float16 and float32, mixed with promotion: each result has eager's dtype and value."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.linear(x)
        return (
            y,
            y.pow(2),
            y.softmax(-1),
            y.norm(),
            y.cumsum(0),
            y.exp(),
            y + 1.5,
            torch.cat([x, y]),
            torch.nn.functional.layer_norm(y, (8,)),
        )


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "autocast": "float16"}
