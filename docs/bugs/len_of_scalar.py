"""len() of a 0-d tensor raises an IndexError that the program cannot catch."""

import torch


def f(x):
    try:
        return x + len(x)
    except TypeError:
        return x


f(torch.ones(()))
torch.compile(f)(torch.ones(()))
# raises IndexError: tuple index out of range
