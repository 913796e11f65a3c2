"""A write to a view makes its base require gradients, which Dynamo does not see."""

import torch


def f(w):
    y = torch.zeros(2)
    y[:1].add_(w)
    return w * 2 if y.requires_grad else w * 3


w = torch.ones(1, requires_grad=True)
print(f(w).item(), torch.compile(f)(w).item())
# 2.0 3.0
