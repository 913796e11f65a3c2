"""Right after the patches: misjudged if any of them were left."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.relu(torch.relu(x) - 0.25) + 5.5


def get_inputs():
    return [torch.randn(4, 5)]
