import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        keep = torch.rsub(x > y, 1)
        return keep * x


def get_inputs():
    return [torch.tensor([[1.0, 5.0], [2.0, 0.0]]), torch.tensor([3.0, 1.0])]
