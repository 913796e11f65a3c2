import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y, _ = torch.ops.aten.adaptive_max_pool2d(x.unsqueeze(0), [2, 2])
        return y.squeeze(0) + x[:, :2, :2]


def get_inputs():
    return [torch.arange(32, dtype=torch.uint8).reshape(2, 4, 4)]
