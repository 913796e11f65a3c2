"""Whether a transposed matrix lies contiguous depends on a size that is marked unknown (of one row it does): Dynamo
asks, and refuses, which PyTorch declares."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.t()
        if y.is_contiguous():
            return y * 2
        return y + 1


def get_inputs():
    return [torch.randn(4, 6)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
