"""What backward draws again moves the generator: the second call draws other numbers, forward too."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x * torch.randn(8, 8)
        return y.sin().exp(), torch.rand(3)


def get_inputs():
    return [torch.randn(8, 8, requires_grad=True)]


OPTIONS = {"mode": "inductor_memory_budget", "backward": True, "calls": 2, "grad": True}
