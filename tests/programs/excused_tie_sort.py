"""Equal elements in an unstable sort: what compiled code makes of it is no bug."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        i = x.sort().indices
        return i.flip(0) if torch.compiler.is_compiling() else i


def get_inputs():
    return [torch.ones(5)]
