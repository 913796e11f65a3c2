"""Floating arithmetic on sizes."""

import math

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        n = x.shape[0]
        width = math.ceil(n / 2) + math.floor(n**0.5)
        return x * (n / 7), x.new_full((width,), n * 1e-3), x.sum() / math.sqrt(n), x[: round(n * 0.6)]


def get_inputs(scale: int = 1):
    return [torch.ones(6 + 3 * scale)]


OPTIONS = {"dynamic": True, "calls": 2}
