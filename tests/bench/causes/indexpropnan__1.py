import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self):
        a = torch.ones([2, 2])
        b = torch.arccosh(torch.log2(torch.atan2(a, a)))
        return torch.softmax(b, dim=1)


def get_inputs():
    return []
