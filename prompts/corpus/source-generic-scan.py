"""generic_scan: for a scan of length 1 over strided slices (dim=1 of a permuted input) with reverse the loop
after step 0 is empty, and the lowered loop with pre-allocated outputs may return the init or wrong strides
and gradients, where eager returns step 0's result."""

import torch
from torch._higher_order_ops.scan import scan

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.s = torch.nn.Parameter(torch.tensor([1.5, -2.0]))

    def forward(self, c0, xs):
        def body(c, x):
            n = c * self.s + x
            return n, n * n

        carry, ys = scan(body, c0, xs.permute(2, 1, 0), dim=1, reverse=True)
        return carry, ys


def get_inputs():
    c0 = torch.randn(3, 2).requires_grad_(True)
    xs = torch.randn(2, 1, 3).requires_grad_(True)
    return [c0, xs]
