"""stack_y: outputs that are expanded, transposed, bool, half or 0-d are predicted as repeat of the slice in
contiguous format, and the lowered loop writes each step into that buffer with the slice's own strides, where
eager scatters the logical values."""

import torch
from torch._higher_order_ops.scan import scan


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, c0, xs):
        def body(c, x):
            n = c * 0.5 + x
            return n, (
                n.sum().expand(2, 3),
                (n + 1.0).t(),
                n > 4.0,
                n.to(torch.float16),
                n.sum(),
                (n * 3.0)[:, ::2],
            )

        carry, ys = scan(body, c0, xs, dim=1)
        return carry, ys[0], ys[1], ys[2], ys[3], ys[4], ys[5]


def get_inputs():
    c0 = torch.zeros(2, 3)
    xs = torch.arange(24, dtype=torch.float32).reshape(2, 4, 3)
    return [c0, xs]


OPTIONS = {"calls": 2, "dynamic": True}
