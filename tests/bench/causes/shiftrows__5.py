import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cells):
        moved = cells[0:7].clone()
        cells[1:8] = moved
        return cells.float().cos()


def get_inputs():
    return [torch.arange(256).reshape(8, 32)]
