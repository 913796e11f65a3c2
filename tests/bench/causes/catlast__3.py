import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a):
        return torch.concatenate([a] * 3, axis=0).cos()


def get_inputs():
    return [torch.arange(24.0, dtype=torch.float64).reshape(2, 3, 2, 2).to(memory_format=torch.channels_last)]
