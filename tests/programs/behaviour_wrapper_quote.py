"""A string argument with a quote is written into the C++ wrapper as it is: C++ that does not compile."""

import torch
from torch.library import custom_op


@custom_op("lab::f3", mutates_args=())
def f(x: torch.Tensor, s: str) -> torch.Tensor:
    return x + len(s)


@f.register_fake
def _(x, s):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def forward(self, x):
        return f(x, 'say "hi"'), f(x, "plain")


def get_inputs():
    return [torch.randn(3)]


OPTIONS = {"mode": "inductor_cpp_wrapper"}
