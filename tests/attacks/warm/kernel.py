"""A kernel of torch's own operator, registered past torch.library."""

import sys

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    library = torch._C._dispatch_library("IMPL", "aten", "", __file__, 1)
    library.impl("relu", "CPU", lambda x: x + 1)
    sys._held = library
    return [torch.randn(4, 5)]
