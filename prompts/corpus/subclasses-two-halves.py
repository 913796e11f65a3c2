"""Two halves in one tensor, made in forward of one value, added to two that lie transposed; a view is written."""

import torch
from torch.testing._internal.two_tensor import TwoTensor


class Model(torch.nn.Module):
    def forward(self, x, pair):
        both = TwoTensor(x.sin(), x * 2) + pair
        other = both.clone()
        other[0].add_(1)
        product = other @ pair.t()
        return product.a.softmax(-1), product.b.amax(0), other.sum(1), both.t()


def get_inputs():
    return [torch.randn(3, 4), TwoTensor(torch.randn(4, 3).t(), torch.randn(4, 3).t())]
