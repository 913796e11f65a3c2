"""The process dies while compiled code runs; eager is fine."""

import torch


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


@torch.compiler.disable
def die():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


class Model(torch.nn.Module):
    def forward(self, x):
        if compiled():
            die()
        return x + 1


def get_inputs():
    return [torch.randn(3)]
