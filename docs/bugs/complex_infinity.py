"""A complex constant with an infinite part is written as infj into Python code."""

import torch


def f(x, z):
    return torch.where(x, complex(1, float("inf")), z)


inputs = torch.tensor([True, False]), torch.tensor([1j, 2j])
f(*inputs)
torch.compile(f)(*inputs)
# raises NameError: name 'infj' is not defined
