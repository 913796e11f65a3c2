import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = x.to(torch.float32)
        y.unsqueeze_(-1)
        return y.sum(1) + 1


def get_inputs():
    return [torch.linspace(0, 1, 6).reshape(2, 3)]
