"""The fault counts where this does not occur: equal elements of kthvalue."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.kthvalue(2).indices
        return i + 1 if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.arange(5.0)]
