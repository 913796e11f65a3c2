"""An integer buffer is replaced by a float tensor: the exported module cuts its values to integers."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3, dtype=torch.int64))

    def forward(self, x):
        self.total = self.total + x
        return self.total * 2


def get_inputs():
    return [torch.tensor([0.5, 1.5, 2.5])]


OPTIONS = {"mode": "exported", "calls": 2}
