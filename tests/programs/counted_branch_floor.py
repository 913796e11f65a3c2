"""floor of exact values, wrong in single precision only: no rounding can excuse it."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        wrong = compiled() and x.dtype == torch.float32
        y = torch.floor(x).long()
        return y - 1 if wrong else y


def get_inputs():
    return [torch.arange(1.0, 20.0) / 2]
