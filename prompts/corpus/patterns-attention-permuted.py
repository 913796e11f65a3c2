"""Attention whose key is permuted twice and whose heads equal the length."""

import torch


class Model(torch.nn.Module):
    def forward(self, q, k, v):
        key = k.permute(0, 2, 3, 1)
        scores = torch.matmul(q, key).div(2.0)
        return torch.matmul(torch.softmax(scores, dim=-1), v), scores.amax(-1)


def get_inputs():
    return [torch.randn(2, 4, 4, 6), torch.randn(2, 4, 4, 6), torch.randn(2, 4, 4, 6)]
