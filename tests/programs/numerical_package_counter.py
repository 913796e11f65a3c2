"""AOTInductor folds a buffer of equal values to a constant although forward writes it: it never counts on."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen.add_(1)
        return x.sin() + self.seen


def get_inputs():
    return [torch.randn(3, 4)]


OPTIONS = {"mode": "aot_inductor", "calls": 2}
