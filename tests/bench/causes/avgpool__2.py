import torch
import torch.nn as nn

OPTIONS = {"backward": True}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(3, stride=2, ceil_mode=True)

    def forward(self, x):
        return self.pool(x) * 2


def get_inputs():
    return [torch.linspace(0, 1, 72).reshape(1, 2, 6, 6)]
