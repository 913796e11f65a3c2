import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Upsample(scale_factor=1.25, mode="nearest")

    def forward(self, x):
        return self.up(x.exp()).log()


def get_inputs():
    return [torch.linspace(0, 1, 6).reshape(1, 2, 3)]
