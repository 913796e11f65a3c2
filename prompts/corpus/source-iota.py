"""iota: for arange with a narrow dtype whose values leave its range (uint8 up to 299, int8 up to 199) and
that is then widened, index_expr keeps the wide index without wrapping, eager writes wrapped uint8 or int8
values before it converts."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = torch.arange(300, dtype=torch.uint8).to(torch.int64)
        b = torch.arange(0, 200, dtype=torch.int8).to(torch.float32)
        return x + a, b + x[:200]


def get_inputs():
    return [torch.zeros(300, dtype=torch.int64)]


OPTIONS = {"calls": 2, "dynamic": True}
