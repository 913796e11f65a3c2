import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.floor_divide(x, float("inf"))


def get_inputs():
    return [torch.tensor([-1.0, 1.0, -3.0])]
