"""One region compiled once and called by three layers, checkpointed twice, with gradients."""

import torch
from torch.utils.checkpoint import checkpoint


@torch.compiler.nested_compile_region
def layer(x, weight, bias):
    h = (x @ weight + bias).tanh()
    return h - h.mean(-1, keepdim=True)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.randn(5, 5) for _ in range(3))
        self.bias = torch.nn.Parameter(torch.zeros(5))

    def forward(self, x):
        first = layer(x, self.weights[0], self.bias)
        second = checkpoint(layer, first, self.weights[1], self.bias, use_reentrant=False)
        third = checkpoint(lambda y: (layer(y * 2, self.weights[2], self.bias), None), second, use_reentrant=False)
        return first + third[0].flip(0), second.logsumexp(0)


def get_inputs():
    return [torch.randn(4, 5)]


OPTIONS = {"train": True, "backward": True}
