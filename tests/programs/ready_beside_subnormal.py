"""One input is subnormal, but the fault is in a normal one too: not held."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x * 2 if compiled() else x
        return y * 2.0**100 * 2.0**30


def get_inputs():
    return [torch.tensor([1e-40, 2.0**-125, -3e-41])]
