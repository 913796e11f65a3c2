"""scan: with dynamic sizes, dim=1 and reverse=True the flips and movedims around the loop depend on each
output's rank, so a second call of another scan length may use the first length for the stacked outputs, where
eager allocates [num_elems, ...] anew."""

import torch
from torch._higher_order_ops.scan import scan

OPTIONS = {"dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, c0, a, b):
        def body(c, x):
            p, q = x
            n = c * 0.9 + p + q.sum(-1)
            return n, (n * 2.0, n.sum())

        carry, ys = scan(body, c0, (a, b), dim=1, reverse=True)
        return carry, ys[0], ys[1]


def get_inputs(scale=0):
    t = 4 + 3 * scale
    return [torch.zeros(3), torch.randn(3, t), torch.randn(3, t, 2)]
