"""Index arithmetic is symbolic: a cast to a narrower type is dropped."""

import torch


def f():
    return torch.arange(256, 260).to(torch.uint8).long()


print(f().tolist(), torch.compile(f)().tolist())
# [0, 1, 2, 3] [256, 257, 258, 259]
