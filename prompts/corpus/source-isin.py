"""isin: a Python integer as elements becomes torch.scalar_tensor of default dtype float32, so 16777217 rounds
to 16777216.0 and is found in an int64 tensor that holds 16777216; eager compares as int64 and answers
False."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, t):
        return torch.isin(16777217, t)


def get_inputs():
    return [torch.tensor([16777216, 5, 7])]


OPTIONS = {"fullgraph": True}
