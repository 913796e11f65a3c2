"""The fault counts where this does not occur: a cast of values the integer type cannot hold."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.to(torch.int32)
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.tensor([1.0, 2.5, -2147483648.0])]
