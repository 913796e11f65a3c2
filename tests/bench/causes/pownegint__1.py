import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x**-1


def get_inputs():
    return [torch.tensor([1, 2, 3])]
