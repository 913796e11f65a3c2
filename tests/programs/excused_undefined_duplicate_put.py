"""Different values put at one position: what compiled code makes of it is no bug."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.zeros(8, device=x.device).put(x, torch.arange(3.0, device=x.device))
        return y + 1 if compiled() else y


def get_inputs():
    return [torch.tensor([1, 5, 1])]
