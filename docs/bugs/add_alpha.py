"""Post-grad passes fuse add into addmm and forget alpha."""

import torch


def f(x, w, y):
    return torch.add(torch.mm(x, w), y, alpha=3)


inputs = torch.ones(3, 4), torch.ones(4, 5), torch.ones(5)
print(f(*inputs)[0, 0].item(), torch.compile(f)(*inputs)[0, 0].item())
# 7.0 5.0
