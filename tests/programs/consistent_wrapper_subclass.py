"""Tensors of classes without a storage of their own: as an input, a weight and an output."""

import torch
from torch.testing._internal.two_tensor import TwoTensor


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(TwoTensor(torch.randn(3, 3), torch.randn(3, 3)))

    def forward(self, t):
        return (t.sin() @ self.weight.t()).relu(), t + 1


def get_inputs():
    return [TwoTensor(torch.randn(3, 3), torch.randn(3, 3))]
