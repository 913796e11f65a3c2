"""A right shift by the width and more: what compiled code makes of it is no bug."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x >> 40
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.arange(6, dtype=torch.int32)]
