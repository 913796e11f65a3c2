"""All reductions of scatter, with and without the values already there."""

import torch


class Model(torch.nn.Module):
    def forward(self, base, index, source):
        modes = ("sum", "prod", "mean", "amax", "amin")
        kept = [base.scatter_reduce(1, index, source, mode) for mode in modes]
        fresh = [base.scatter_reduce(1, index, source, mode, include_self=False) for mode in modes]
        return torch.stack(kept), torch.stack(fresh)


def get_inputs():
    return [
        torch.ones(2, 6),
        torch.tensor([[0, 0, 3, 5], [1, 4, 4, 4]]),
        torch.tensor([[1.0, -2.0, 4.0, 0.5], [3.0, -1.0, 2.0, 8.0]]),
    ]
