import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        mask = x > 0
        return mask.ceil()


def get_inputs():
    return [torch.linspace(-1, 1, 7)]
