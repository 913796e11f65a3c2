"""The fault counts where this does not occur: several occurrences of the mode."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.mode().indices
        return i - 1 if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.tensor([3.0, 1.0, 2.0])]
