"""Equal elements in an unstable sort: what compiled code makes of it is no bug."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.sort().indices
        return i.flip(0) if compiled() else i


def get_inputs():
    return [torch.ones(5)]
