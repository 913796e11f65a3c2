"""The fault counts where this does not occur: equal elements of topk."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.topk(3).indices
        return i.flip(0) if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.arange(5.0)]
