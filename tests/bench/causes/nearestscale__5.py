import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, volume):
        bigger = torch.ops.aten.upsample_nearest3d.vec(volume, None, [1.4, 1.4, 1.0])
        return bigger - volume


def get_inputs():
    return [torch.arange(16.0).reshape(1, 1, 2, 2, 4)]
