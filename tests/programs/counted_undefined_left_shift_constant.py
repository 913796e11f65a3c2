"""The fault counts where this does not occur: a left shift by a constant of the width and more."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x << 32
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.arange(6)]
