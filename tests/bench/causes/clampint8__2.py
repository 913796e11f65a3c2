import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, levels):
        return levels.clip(3, 260) + 1


def get_inputs():
    return [torch.tensor([[0, 7], [199, 250]], dtype=torch.uint8)]
