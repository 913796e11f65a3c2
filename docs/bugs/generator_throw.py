"""throw() of an exhausted generator raises StopIteration instead of the exception given."""

import torch


def gen(x):
    yield x


def f(x):
    g = gen(x)
    list(g)
    try:
        g.throw(ValueError())
    except ValueError:
        return x + 1
    except StopIteration:
        return x - 1


print(f(torch.zeros(1)).item(), torch.compile(f)(torch.zeros(1)).item())
# 1.0 -1.0
