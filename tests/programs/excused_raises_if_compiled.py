"""The program refuses to be compiled."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            raise RuntimeError("not to be compiled")
        return x * 2


def get_inputs():
    return [torch.linspace(0.0, 1.0, 12)]
