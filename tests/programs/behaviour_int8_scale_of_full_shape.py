"""A batched product with int8 weights times a tensor of its shape: Inductor takes that for one scale of each column
and raises at run time."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, weight, scale):
        return torch.nn.functional.linear(x, weight.to(x.dtype)) * scale


def get_inputs():
    return [
        torch.randn(1, 4, 64).bfloat16(),
        torch.randint(-128, 127, (32, 64), dtype=torch.int8),
        torch.rand(4, 32).bfloat16(),
    ]
