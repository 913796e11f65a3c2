"""The text of an error asks for that of its argument, which never ends."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless:
    def __repr__(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        raise ValueError(Endless())


def get_inputs():
    return [torch.randn(4, 5)]
