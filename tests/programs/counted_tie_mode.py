"""The fault counts where this does not occur: several occurrences of the mode."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.mode().indices
        return i - 1 if compiled() else i


def get_inputs():
    return [torch.tensor([3.0, 1.0, 2.0])]
