import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, i):
        picked = torch.tanh(x)
        return torch.index_add(picked, dim=0, index=i, source=picked[:2])


def get_inputs():
    return [torch.linspace(-2, 2, 18).reshape(6, 3), torch.tensor([-1, -3])]
