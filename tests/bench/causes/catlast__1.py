import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cat([x, x], 1)


def get_inputs():
    return [torch.linspace(0, 1, 384).reshape(2, 3, 8, 8).to(memory_format=torch.channels_last)]
