import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, pixels):
        darkest = torch.ops.aten.min.default(pixels.flatten())
        return darkest.to(torch.int64) + 100


def get_inputs():
    return [(torch.arange(252).reshape(4, 7, 9) % 61 + 11).to(torch.uint8)]
