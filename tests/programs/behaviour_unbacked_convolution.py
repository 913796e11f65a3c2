"""A convolution of a batch whose size is marked unknown. The compiler expects the result in the layout of
channels_last, eager's kernel gives the default layout, and the compiled code's own assertion of the strides fails."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 2, 3)

    def forward(self, x):
        return self.conv(x).relu()


def get_inputs():
    return [torch.randn(2, 3, 6, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
