"""Nothing is left to compile: eager against eager."""

import torch


@torch.compiler.disable
def helper(x):
    return x.sin()


class Model(torch.nn.Module):
    def forward(self, x):
        return helper(x)


def get_inputs():
    return [torch.randn(8)]
