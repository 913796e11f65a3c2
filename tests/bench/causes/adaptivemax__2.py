import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveMaxPool2d(2)

    def forward(self, grid):
        best = self.pool(grid * 2)
        return best.flatten(1)


def get_inputs():
    return [torch.arange(32).reshape(1, 2, 4, 4)]
