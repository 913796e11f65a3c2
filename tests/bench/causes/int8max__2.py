import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.amax(x, dim=1), x.float().mean()


def get_inputs():
    return [-torch.arange(1, 97).reshape(2, 48).to(torch.int8)]
