"""torch.any over no dimension reduces all of them; torch.all too."""

import torch


def f(x):
    return torch.any(x, dim=())


x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
print(tuple(f(x).shape), tuple(torch.compile(f)(x).shape))
# (2, 2) ()
