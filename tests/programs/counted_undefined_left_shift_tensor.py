"""Left shifts by amounts in a tensor are defined (pytorch issue 143566): the fault counts."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.bitwise_left_shift(x, torch.full_like(x, 64))
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.arange(6)]
