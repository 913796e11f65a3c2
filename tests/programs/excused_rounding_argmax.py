"""argmax: legitimate rounding upstream decides which way it goes."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x if torch.compiler.is_compiling() else x / 49 * 49
        return (y / x).argmin()


def get_inputs():
    return [torch.arange(1.0, 200.0)]
