"""TritonTemplate.generate: a tensor captured by a flex_attention score_mod that is a view of the query's own
buffer is dropped from the captured inputs because its name is already among input_nodes, so the score bias is
read with the query's layout, where eager reads the captured view."""

import torch
from torch.nn.attention.flex_attention import flex_attention


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        bias = q[0, 1, :, 3]

        def score_mod(score, b, h, i, j):
            return score + bias[i] * 0.5 - bias[j]

        return flex_attention(q, k, v, score_mod=score_mod)


def get_inputs():
    q = torch.randn(1, 2, 128, 32)
    k = torch.randn(1, 2, 128, 32)
    v = torch.randn(1, 2, 128, 32)
    return [q, k, v]
