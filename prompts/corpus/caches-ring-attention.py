"""Attention over a ring of keys and values; its position is a Python number, its filling a tensor."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 1, 2, 3, 8))
        self.register_buffer("filled", torch.zeros((), dtype=torch.int64), persistent=False)
        self.project = torch.nn.Linear(16, 48)
        self.at = 0

    def forward(self, x):
        q, k, v = (part.view(1, 2, 1, 8) for part in self.project(x).chunk(3, -1))
        before = self.cache[0].amax(-1)
        self.cache[:, :, :, self.at] = torch.stack([k, v])[:, :, :, 0]
        self.filled.add_(1)
        self.at = (self.at + 1) % self.cache.shape[3]
        keys, values = self.cache.unbind(0)
        mask = torch.arange(3, device=x.device) < self.filled
        return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask.view(1, 1, 1, 3)), before, keys[..., :2]


def get_inputs():
    return [torch.randn(1, 1, 16)]


OPTIONS = {"calls": 5}
