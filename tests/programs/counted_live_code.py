"""The same error where the result is read, lost when compiled."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        taken = x[:1] if compiled() else x[torch.tensor([10])]
        return x * 2 + taken


def get_inputs():
    return [torch.arange(4.0)]
