"""The fault counts where this does not occur: rows with room between them are written in place."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        x.add_(1.0)
        return x + 1 if compiled() else x.clone()


def get_inputs():
    return [torch.arange(16, dtype=torch.float32).as_strided((4, 3), (4, 1))]
