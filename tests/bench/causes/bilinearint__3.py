import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.UpsamplingBilinear2d(scale_factor=2)

    def forward(self, x):
        y = self.up(x - 3)
        return y.float().mean((2, 3)), y


def get_inputs():
    return [torch.arange(18, dtype=torch.int16).reshape(1, 2, 3, 3)]
