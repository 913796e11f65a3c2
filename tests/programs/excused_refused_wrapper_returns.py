"""The C++ wrapper does not take operators that return lists of tensors, and says so."""

import torch
from torch.library import custom_op


@custom_op("lab::f8", mutates_args=())
def f(x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    return x + 1, [x * 2, x * 3]


@f.register_fake
def _(x):
    return torch.empty_like(x), [torch.empty_like(x), torch.empty_like(x)]


class Model(torch.nn.Module):
    def forward(self, x):
        return f(x)


def get_inputs():
    return [torch.randn(3)]


OPTIONS = {"mode": "inductor_cpp_wrapper"}
