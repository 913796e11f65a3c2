"""The process dies while compiled code runs; eager is fine."""

import torch


@torch.compiler.disable
def die():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            die()
        return x + 1


def get_inputs():
    return [torch.randn(3)]
