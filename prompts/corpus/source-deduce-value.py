"""UniformValueConstantFolder._deduce_value: every full becomes a tensor of shape [1], also a 0-d one, so type
promotion in the folded pointwise op changes: a 0-d float64 0.1 compared with a 1-d float32 0.1 is False in
float64, where eager compares in float32 (0-d does not promote) and gets True; likewise a 0-d int64 300 beside
int8."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = torch.full((), 0.1, dtype=torch.float64, device=x.device)
        b = torch.full((6,), 0.1, dtype=torch.float32, device=x.device)
        c = torch.full((), 300, dtype=torch.int64, device=x.device)
        d = torch.full((6,), 100, dtype=torch.int8, device=x.device)
        return torch.where(a == b, x, -x), torch.where(c > d, x, -x)


def get_inputs():
    return [torch.arange(1, 7, dtype=torch.float32)]


OPTIONS = {"threads": 8}
