"""What the program left is destroyed with its module."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless:
    def __del__(self):
        hang()


KEPT = Endless()


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1 if KEPT else x


def get_inputs():
    return [torch.randn(4, 5)]
