"""torch.full of bfloat16 is not rounded before cumsum."""

import torch


def f():
    return torch.full((2,), 0.1, dtype=torch.bfloat16).cumsum(0, dtype=torch.float32)


print(f()[1].item(), torch.compile(f)()[1].item())
# 0.2001953125 0.20000000298023224
