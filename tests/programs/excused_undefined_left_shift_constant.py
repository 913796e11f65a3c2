"""A left shift by a constant of the width and more: what compiled code makes of it is no bug."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x << 32
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.arange(6, dtype=torch.int32)]
