"""A left shift by a constant of the width and more: what compiled code makes of it is no bug."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x << 32
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.arange(6, dtype=torch.int32)]
