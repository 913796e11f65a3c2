"""One leaf is undefined, another is wrong: only the first is excused."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.to(torch.int32)
        z = x[:1] * 2
        return (y, z + 1) if compiled() else (y, z)


def get_inputs():
    return [torch.tensor([1.0, 3e20])]
