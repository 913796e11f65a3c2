"""A frozen parameter added to a convolution's result is the buffer that the fused kernel writes its sum to: the
parameter changes."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(4, 6, 3, padding=1)
        places = torch.randn(2, 6, 8, 8).to(memory_format=torch.channels_last)
        self.places = torch.nn.Parameter(places)

    def forward(self, x):
        return self.conv(x) + self.places


def get_inputs():
    return [torch.randn(2, 4, 8, 8)]


OPTIONS = {"mode": "inductor_freezing", "calls": 2}
