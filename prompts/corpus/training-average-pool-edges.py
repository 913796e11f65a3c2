"""Average pooling whose last window hangs over the edge, with its gradient."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        short = F.avg_pool1d(x, kernel_size=4, stride=3, ceil_mode=True)
        flat = F.avg_pool2d(x.unsqueeze(1), 2, stride=2, ceil_mode=True)
        return short, flat


def get_inputs():
    return [torch.randn(2, 3, 9)]


OPTIONS = {"backward": True, "grad": True}
