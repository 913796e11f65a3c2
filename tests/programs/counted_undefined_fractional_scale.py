"""The fault counts where this does not occur: integers scaled by an integer, floats and a mix of
both by a fraction."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, a, b):
        y = torch.addcmul(a, a, a, value=2)
        return y + 1 if compiled() else y, torch.addcmul(b, b, b, value=1.5), torch.addcmul(a, a, b, value=1.5)


def get_inputs():
    return [torch.arange(6), torch.linspace(0.0, 1.0, 6)]
