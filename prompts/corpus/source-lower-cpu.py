"""lower_cpu: only query, key and value that share a storage are copied apart, so a bias captured by score_mod
that is a view of the same storage as query keeps the same buffer name and is read without its offset, eager
adds the right bias."""

import torch
from torch.nn.attention.flex_attention import flex_attention


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, t, k, v):
        q = t[0]
        bias = t[1, 0, 0, :, 0]

        def score_mod(score, b, h, q_idx, kv_idx):
            return score + bias[kv_idx]

        return flex_attention(q, k, v, score_mod=score_mod)


def get_inputs():
    return [
        torch.randn(2, 1, 2, 32, 16),
        torch.randn(1, 2, 32, 16),
        torch.randn(1, 2, 32, 16),
    ]


OPTIONS = {"calls": 2, "dynamic": True, "threads": 8}
