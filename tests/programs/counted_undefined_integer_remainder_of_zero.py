"""An integer remainder where no divisor is zero: the fault counts."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.fmod(torch.arange(6, device=x.device), x)
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.full((6,), 4)]
