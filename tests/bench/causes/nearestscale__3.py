import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, image):
        wide = F.interpolate(image + 1, scale_factor=(1.2, 2.0))
        return wide.sum(dim=-1)


def get_inputs():
    return [torch.arange(24.0).reshape(1, 2, 4, 3)]
