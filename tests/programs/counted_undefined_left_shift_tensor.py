"""Left shifts by amounts in a tensor are defined (pytorch issue 143566): the fault counts."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.bitwise_left_shift(x, torch.full_like(x, 64))
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.arange(6)]
