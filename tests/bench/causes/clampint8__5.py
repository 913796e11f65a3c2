import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        c = torch.bitwise_xor(a, b)
        return torch.ops.aten.clamp.default(c, 0, 1000).sum(), c


def get_inputs():
    return [torch.arange(12, dtype=torch.uint8), torch.full((12,), 5, dtype=torch.uint8)]
