"""The fault counts where this does not occur: a cast of values the integer type cannot hold."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.to(torch.int32)
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.tensor([1.0, 2.5, -2147483648.0])]
