import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5).eval()

    def forward(self, x):
        y = self.drop(x)
        y[:, 0] = 7
        return torch.cos(y)


def get_inputs():
    return [torch.linspace(-1, 1, 12).reshape(2, 6)]
