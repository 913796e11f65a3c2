"""The name of an error's class never comes."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Nameless(type):
    @property
    def __name__(cls):
        hang()


class Endless(Exception, metaclass=Nameless):
    pass


class Model(torch.nn.Module):
    def forward(self, x):
        raise Endless()


def get_inputs():
    return [torch.randn(4, 5)]
