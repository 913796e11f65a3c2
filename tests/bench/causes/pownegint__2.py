import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a):
        b = torch.pow(a.abs() + 1, -2)
        return b.float().mean()


def get_inputs():
    return [torch.tensor([[1, -2], [3, 4]], dtype=torch.int32)]
