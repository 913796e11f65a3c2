"""Gradients through scatter reductions that leave some rows untouched."""

import torch


class Model(torch.nn.Module):
    def forward(self, base, index, source):
        largest = base.scatter_reduce(0, index, source, "amax", include_self=False)
        mean = base.scatter_reduce(0, index, source, "mean", include_self=True)
        return largest, mean, base.scatter_add(1, index, source)


def get_inputs():
    return [torch.randn(5, 5), torch.tensor([[0, 1, 1, 4, 2], [3, 1, 0, 4, 2]]), torch.randn(2, 5)]


OPTIONS = {"backward": True, "grad": True}
