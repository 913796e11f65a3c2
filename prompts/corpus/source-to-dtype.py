"""SymPyOps.to_dtype: for an arange longer than 256 that is cast to uint8 and back to int64 the symbolic
expression is carried through unchanged (only constants are wrapped), so compiled code returns 0..n-1 where
eager wraps modulo 256."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        i = torch.arange(x.shape[0], device=x.device)
        return x + i.to(torch.uint8).to(torch.int64)


def get_inputs():
    return [torch.zeros(600, dtype=torch.int64)]
