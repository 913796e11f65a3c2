"""The fault counts where this does not occur: different values copied to one index."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.zeros(8, device=x.device).index_copy(0, x, torch.arange(3.0, device=x.device))
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.tensor([1, 5, 2])]
