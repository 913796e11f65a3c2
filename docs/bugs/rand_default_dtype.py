"""torch.rand without a dtype ignores torch.set_default_dtype."""

import torch

torch.set_default_dtype(torch.float64)


def f():
    return torch.rand(1)


print(f().dtype, torch.compile(f)().dtype)
# torch.float64 torch.float32
