"""Backward of replication padding asserts another layout for a channels_last input."""

import torch
import torch.nn.functional as F


def f(x):
    return F.pad(x, (1, 2, 1, 0), mode="replicate").sum()


x = torch.ones(2, 2, 2, 2).to(memory_format=torch.channels_last).requires_grad_()
f(x).backward()
torch.compile(f)(x).backward()
# raises AssertionError: expected size 2==2
