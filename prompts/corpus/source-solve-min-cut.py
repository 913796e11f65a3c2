"""solve_min_cut: inside a checkpointed region everything is forced to be recomputed from the primals, but
functionalization fixes the value of a buffer written after the region, so compiled grad uses another version
of the buffer than eager's recomputation, which reads the buffer as it stands in backward."""

import torch
from torch.utils.checkpoint import checkpoint


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.linspace(-1.0, 1.0, 8))

    def block(self, x):
        return torch.sin(x) * torch.exp(self.b * x)

    def forward(self, x):
        y = checkpoint(self.block, x, use_reentrant=False)
        self.b.add_(1.0)
        return y


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"backward": True}
