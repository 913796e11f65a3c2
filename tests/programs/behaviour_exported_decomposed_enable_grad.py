"""enable_grad within forward, exported under no_grad: run_decompositions ends in an IndexError."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        with torch.enable_grad():
            return x * self.weight


def get_inputs():
    return [torch.ones(4)]


OPTIONS = {"mode": "exported_decomposed"}
