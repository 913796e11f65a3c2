import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, pixels):
        shown = pixels.abs()
        return torch.cat([shown, shown], dim=-3) + 1, pixels.sum()


def get_inputs():
    return [
        (torch.arange(2 * 3 * 5 * 5, dtype=torch.int32) - 40).reshape(2, 3, 5, 5).to(memory_format=torch.channels_last)
    ]
