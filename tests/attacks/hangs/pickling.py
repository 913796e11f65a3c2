"""An output without attributes is pickled."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless:
    __slots__ = ()

    def __reduce_ex__(self, protocol):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1, Endless()


def get_inputs():
    return [torch.randn(4, 5)]
