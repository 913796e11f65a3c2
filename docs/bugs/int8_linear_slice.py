"""A weight-only int8 linear layer does not compile after a write to a slice of its input."""

import torch
import torch.nn.functional as F

w, s = torch.ones(9, 9, dtype=torch.int8), torch.ones(9, dtype=torch.bfloat16)


def f(h):
    h[..., :1] = 1
    return F.linear(h, w.to(torch.bfloat16)) * s


with torch.no_grad():
    f(torch.ones(1, 1, 9, dtype=torch.bfloat16))
    torch.compile(f)(torch.ones(1, 1, 9, dtype=torch.bfloat16))
# raises InductorError: RuntimeError: FakeTensorUpdater cannot recompute metadata
