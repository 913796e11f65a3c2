"""The input that compiled code returns brings its requires_grad along (issue 197893)."""

import torch


class Model(torch.nn.Module):
    def forward(self, s):
        return torch.full((), 1.0) * s


def get_inputs():
    return [torch.tensor(1.0, requires_grad=True)]
