"""What backward computes again stays in float32 inside a kernel: no more than bfloat16 rounds away."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.s = torch.nn.Sequential(
            *[m for _ in range(3) for m in (torch.nn.Linear(32, 32), torch.nn.GELU(), torch.nn.LayerNorm(32))]
        ).bfloat16()

    def forward(self, x):
        return self.s(x)


def get_inputs():
    return [torch.randn(8, 32, dtype=torch.bfloat16, requires_grad=True)]


OPTIONS = {"mode": "inductor_memory_budget", "backward": True, "grad": True}
