"""Every function of a tensor of the program's class never ends."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        return (x + 1).as_subclass(Endless)


def get_inputs():
    return [torch.randn(4, 5)]
