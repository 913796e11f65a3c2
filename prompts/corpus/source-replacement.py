"""replace_random.replacement: without dtype nothing is cast, and the random primitive is always float32, so
with a default dtype of float64 the compiled result has float32 numbers (or a buffer of the wrong type) where
eager gives float64."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.set_default_dtype(torch.float64)

    def forward(self, x):
        r = torch.rand(4096, device=x.device)
        same = r.to(torch.float32).to(r.dtype) == r
        return torch.floor(r[:8]), x + same.all().to(x.dtype)


def get_inputs():
    return [torch.zeros(4, dtype=torch.float32)]


OPTIONS = {"own_random": True, "threads": 2}
