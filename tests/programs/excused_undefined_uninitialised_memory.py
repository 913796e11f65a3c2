"""Half of the result is memory that nobody wrote."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        y[:4] = x[:4] * 2
        return y.nan_to_num().clamp(0, 1) + (3 if compiled() else 0)


def get_inputs():
    return [torch.linspace(0, 1, 8)]
