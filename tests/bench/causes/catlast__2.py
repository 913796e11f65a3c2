import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, left):
        twice = left * 2
        return torch.concat((twice, twice, twice), dim=2)


def get_inputs():
    return [torch.linspace(-1, 1, 40).reshape(1, 2, 4, 5).to(memory_format=torch.channels_last)]
