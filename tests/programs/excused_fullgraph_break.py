"""A data-dependent branch under fullgraph is refused as documented."""

import torch

OPTIONS = {"fullgraph": True}


class Model(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1


def get_inputs():
    return [torch.randn(8)]
