"""The text of an error never ends."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless(Exception):
    def __str__(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        raise Endless()


def get_inputs():
    return [torch.randn(4, 5)]
