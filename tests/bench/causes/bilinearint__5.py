import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.grow = nn.Upsample(size=[9, 9], mode="bilinear")

    def forward(self, levels):
        big = self.grow(levels.to(torch.int8)[None])
        return big.squeeze(0).to(torch.int64).sum(-1)


def get_inputs():
    return [torch.arange(30).reshape(1, 5, 6)]
