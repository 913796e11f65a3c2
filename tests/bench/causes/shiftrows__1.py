import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x[1:] = x[:-1].clone()
        return x


def get_inputs():
    return [torch.arange(768.0).reshape(3, 16, 16)]
