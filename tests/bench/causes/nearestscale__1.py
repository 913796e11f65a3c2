import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=1.3, mode="nearest")


def get_inputs():
    return [torch.tensor([[[[1.0, 2.0]]]], dtype=torch.float64)]
