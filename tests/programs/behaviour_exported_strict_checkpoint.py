"""Checkpointing in a strict export: the graph cannot be run on, it lacks its context function."""

import torch
from torch.utils.checkpoint import checkpoint


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return checkpoint(lambda x: self.linear(x).sin(), x, use_reentrant=False)


def get_inputs():
    return [torch.ones(2, 4)]


OPTIONS = {"mode": "exported_strict", "backward": True}
