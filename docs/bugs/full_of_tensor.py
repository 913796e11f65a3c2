"""torch.full forgets the dtype of a tensor as its value."""

import torch


def f(n):
    return torch.full((1,), n)


n = torch.tensor(16777217)
print(f(n).item(), torch.compile(f)(n).item())
# 16777217 16777216.0
