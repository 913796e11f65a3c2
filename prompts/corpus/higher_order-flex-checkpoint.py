"""Flex attention with documents and a captured bias inside a checkpoint, with gradients."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(32, 96)

    def attend(self, x, bias, mask):
        q, k, v = self.qkv(x).view(1, 37, 3, 2, 16).permute(2, 0, 3, 1, 4)
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * (h + 1) + bias[i], block_mask=mask)

    def forward(self, x, bias, documents):
        def same(b, h, i, j):
            return (i >= j) & (documents[i] == documents[j])

        mask = create_block_mask(same, None, None, 37, 37, device=x.device)
        y = checkpoint(self.attend, x, bias, mask, use_reentrant=False)
        return y.transpose(1, 2).flatten(2) + x, y.amax(2)


def get_inputs():
    return [torch.randn(1, 37, 32), torch.randn(37), torch.arange(37) // 10]
