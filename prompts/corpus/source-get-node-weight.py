"""solve_min_cut.get_node_weight: a buffer is free to save, so sin(buffer) is recomputed in backward from the
saved primal although the forward graph ends with copy_ into that buffer, and compiled grad of x is sin(b + 1)
where eager, which saved the intermediate sin(b), gives sin(b)."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.linspace(-1.0, 1.0, 8))

    def forward(self, x):
        y = x * torch.sin(self.b)
        self.b.add_(1.0)
        return y


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"backward": True}
