import torch
import torch.nn as nn
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, x):
        return F.avg_pool1d(x.sin(), 3, stride=2, ceil_mode=True)


def get_inputs():
    return [torch.linspace(-1, 1, 48).reshape(2, 3, 8)]
