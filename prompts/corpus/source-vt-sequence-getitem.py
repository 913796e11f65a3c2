"""vt_sequence_getitem: an index below -len is wrapped by adding the length once and handed on still negative,
so deque[-5] of three elements becomes index -2 and returns (or sets, or deletes) an element where CPython
raises IndexError."""

import collections

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        d = collections.deque([1.0, 2.0, 3.0])
        try:
            a = d[-5]
        except IndexError:
            a = 100.0
        try:
            d[-4] = 50.0
        except IndexError:
            pass
        b = d[2]
        try:
            del d[-5]
        except IndexError:
            pass
        return x * a, x * b, x + len(d)


def get_inputs():
    return [torch.ones(3)]
