"""Autocast of float16 switched off by a decorator, a stored context and a nested one, a checkpoint, joins of mixed
types and writes into float32: every dtype and value is eager's."""

import torch


@torch.autocast("cpu", enabled=False)
def plain(layer, x):
    return layer(x)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.off = torch.autocast("cpu", enabled=False)

    def forward(self, x):
        y = self.layer(x)
        with self.off:
            z = self.layer(x)
        total = torch.zeros(4, 8)
        total += y
        total[1:3] = y[:2]
        joined = torch.cat([x, y]), torch.stack([y, y]), torch.cat([y, x.double()])
        again = torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)
        asked = torch.get_autocast_dtype("cpu"), torch.is_autocast_enabled("cpu")
        return y, z, plain(self.layer, x), total, joined, again, asked


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16"}
