"""Attention written by hand, scaled in an unusual place."""

import math

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, q, k, v, mask):
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1]) * 0.5
        plain = scores.softmax(-1) @ v
        masked = (scores + mask).softmax(dim=-1).matmul(v)
        fused = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.25)
        return plain, masked, fused


def get_inputs():
    size = (2, 2, 5, 8)
    return [torch.randn(size), torch.randn(size), torch.randn(size), torch.randn(2, 1, 5, 5)]
