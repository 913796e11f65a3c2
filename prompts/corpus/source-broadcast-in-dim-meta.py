"""_broadcast_in_dim_meta: for a (1, 3) tensor expanded to (1, 4, 3) the new leading dimension of size 1 gets
the stride of the unexpanded dimension, 3, eager multiplies the expanded size and stride of the next dimension
and gives 0."""

import torch

OPTIONS = {"dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x.expand(1, 4, x.shape[1])
        return y.stride(), y + 1


def get_inputs(scale=0):
    return [torch.arange(3.0 + 2 * scale).reshape(1, 3 + 2 * scale)]
