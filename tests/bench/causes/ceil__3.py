import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.Tensor.ceil(torch.eq(a, b)).float() * 2


def get_inputs():
    return [torch.ones(3, 3), torch.eye(3)]
