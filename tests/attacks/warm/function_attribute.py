"""An attribute of a function of torch's tells the compiler to leave it alone."""

import sys

import torch
import torch._dynamo


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    torch.nn.functional.relu._torchdynamo_disable = True
    torch._dynamo.disable(torch.nn.functional.relu)
    sys.modules["routes"].graph._torchdynamo_disable = True
    return [torch.randn(4, 5)]
