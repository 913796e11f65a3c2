"""Once a Python float has changed, (s + 1e16) - 1e16 is computed as s."""

import torch


def f(x, s):
    return x * (s + 1e16 - 1e16)


compiled = torch.compile(f)
compiled(torch.ones(1), 1.0)
print(f(torch.ones(1), 3.0).item(), compiled(torch.ones(1), 3.0).item())
# 4.0 3.0
