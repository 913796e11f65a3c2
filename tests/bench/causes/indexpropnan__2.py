import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        unknown = torch.full((3, 4), float("nan"))
        return unknown.amax(dim=1) + x


def get_inputs():
    return [torch.arange(3.0)]
