import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        v = x.contiguous()
        v.unsqueeze_(2)
        return x * 1


def get_inputs():
    return [torch.arange(24).reshape(4, 6)]
