"""Bilinear is on none of autocast's lists, so it runs in the type of its inputs, float32. Eager multiplies inside it
in float16, as autocast reaches the product that it calls; compiled code stays in float32."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        return torch.nn.functional.bilinear(x, x, w)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(3, 8, 8)]


OPTIONS = {"mode": "inductor_autocast_half", "autocast": "float16"}
