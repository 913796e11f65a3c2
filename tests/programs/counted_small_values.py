"""A tenth off in elements far smaller than the rest: no tolerance of the rest may hide it."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.where(x < 1, x * 1.1, x) if compiled() else x * 1.0


def get_inputs():
    return [torch.cat([torch.linspace(0.01, 0.3, 8), torch.full((8,), 1e6)])]
