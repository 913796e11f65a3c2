"""The fault counts where this does not occur: a search in boundaries out of order."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.bucketize(torch.linspace(0, 4, 9, device=x.device), x)
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]
