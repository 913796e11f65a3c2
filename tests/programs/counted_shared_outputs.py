"""Outputs that share memory only when compiled: a write to one would change the other."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        return y, y if compiled() else y.clone()


def get_inputs():
    return [torch.arange(6.0)]
