"""A second call with another size goes through the dynamic path."""

import torch

OPTIONS = {"dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x).sum(0) / x.shape[0]


def get_inputs(scale: int = 1):
    return [torch.randn(4 * scale, 6)]
