"""An integer remainder where no divisor is zero: the fault counts."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.fmod(torch.arange(6, device=x.device), x)
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.full((6,), 4)]
