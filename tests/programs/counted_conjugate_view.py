"""The compiled side fails on a conjugate view; noise in eager must bring no such error of its own."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        y = (x * 1.3).conj()
        if compiled():
            return torch.view_as_real(y)
        return torch.view_as_real((y * 0.7).resolve_conj())


def get_inputs():
    return [torch.randn(6, dtype=torch.complex64)]
