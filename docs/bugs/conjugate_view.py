"""A write through a conjugate view breaks a real view that is alive."""

import torch


def f(z):
    w = z.clone()
    r = w.real
    w.mH[0, 0] = 1
    return r


z = torch.ones(2, 2, dtype=torch.complex64)
f(z)
torch.compile(f)(z)
# raises RuntimeError: view_as_real doesn't work on unresolved conjugated tensors
