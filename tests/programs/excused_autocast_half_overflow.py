"""The square of a float16 product overflows. Eager rounds it to infinity and divides to infinity; compiled code keeps
it in float32 and comes back to a finite number, as it may: it agrees under emulate_precision_casts."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        y = x @ w
        return y * y / y, (y * y - y * y)


def get_inputs():
    return [torch.arange(32.0).reshape(4, 8) * 4 + 1, torch.ones(8, 8)]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16"}
