import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.GLU(dim=0)

    def forward(self, x):
        return self.gate(x) + 1


def get_inputs():
    return [torch.arange(-4, 4).reshape(4, 2)]
