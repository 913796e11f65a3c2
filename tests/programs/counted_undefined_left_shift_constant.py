"""The fault counts where this does not occur: a left shift by a constant of the width and more."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x << 32
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.arange(6)]
