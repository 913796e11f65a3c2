"""A weak reference tells of the end of an output."""

import weakref

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Watched:
    pass


KEPT = []


class Model(torch.nn.Module):
    def forward(self, x):
        watched = Watched()
        KEPT.append(weakref.ref(watched, lambda _: hang()))
        return x + 1, watched


def get_inputs():
    return [torch.randn(4, 5)]
