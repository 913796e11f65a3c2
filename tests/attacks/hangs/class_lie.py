"""An output says by code what its class is."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless:
    @property
    def __class__(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1, Endless()


def get_inputs():
    return [torch.randn(4, 5)]
