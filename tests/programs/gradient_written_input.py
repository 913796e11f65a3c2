"""forward writes a buffer in place; backward computes its sine again, out of what forward left there."""

import torch

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rate", torch.full((16,), 0.5))

    def forward(self, x):
        self.rate.mul_(2)
        return x * self.rate.sin()


def get_inputs():
    return [torch.linspace(-1, 1, 64).reshape(4, 16)]
