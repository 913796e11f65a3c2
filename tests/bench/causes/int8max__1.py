import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.max() + 1


def get_inputs():
    return [-torch.arange(1, 49).to(torch.int8)]
