"""generic_bool: a TypeError raised by the user's own __len__ is caught as if the object had no length and the
truth value becomes True, while in CPython the TypeError propagates and the except branch runs."""

import torch


class Picky:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        if self.n is None:
            raise TypeError("no length yet")
        return self.n


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.p = Picky(None)

    def forward(self, x):
        try:
            if self.p:
                y = x + 1.0
            else:
                y = x + 2.0
        except TypeError:
            y = x + 3.0
        return y


def get_inputs():
    return [torch.ones(3)]


OPTIONS = {"mode": "inductor_reduce_overhead"}
