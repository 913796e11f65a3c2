"""fma: for int64 tensors eager computes a * b + c exactly in integers, while the compiled code emits std::fma
(double arithmetic) for the prim, so values beyond 2**53 lose their low bits."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b, c):
        return torch.ops.prims.fma(a, b, c)


def get_inputs():
    base = torch.arange(1, 33, dtype=torch.int64)
    a = base + 2**55
    b = torch.full((32,), 3, dtype=torch.int64)
    c = base * 7
    return [a, b, c]


OPTIONS = {"calls": 2, "dynamic": True}
