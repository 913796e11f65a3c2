import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.ops.aten.upsample_bilinear2d(x, [16, 15], False, None, None)


def get_inputs():
    return [torch.arange(24, dtype=torch.int32).reshape(1, 3, 1, 8)]
