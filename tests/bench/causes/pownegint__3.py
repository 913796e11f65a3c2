import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, counts):
        counts = counts + 1
        return counts.pow(-3), counts


def get_inputs():
    return [torch.tensor([0, 1, 4, 9], dtype=torch.int16)]
