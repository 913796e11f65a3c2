"""Integer clamps with bounds of other types, some at the edge of the range."""

import torch


class Model(torch.nn.Module):
    def forward(self, level):
        narrow = level.clamp(-100, 127)
        fractional = level.clamp(-2.5, 7.5)
        by_tensor = torch.clamp(level, torch.tensor(-3), torch.tensor(200))
        return narrow, fractional, by_tensor, level.clamp_min(0)


def get_inputs():
    return [torch.tensor([-128, -7, -1, 0, 3, 90, 127], dtype=torch.int8)]
