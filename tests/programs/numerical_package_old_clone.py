"""AOTInductor drops the clone: what is returned is the buffer after the update, not before."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        before = self.total.clone()
        self.total.add_(x)
        return before


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "aot_inductor"}
