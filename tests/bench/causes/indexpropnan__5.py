import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, y):
        root = torch.sqrt(torch.full((2, 5), -1.0))
        low = torch.amin(root, 1)
        return low.isnan() & (y > 0)


def get_inputs():
    return [torch.tensor([1, -1])]
