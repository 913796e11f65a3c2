"""Integer and byte scatters and index reductions."""

import torch


class Model(torch.nn.Module):
    def forward(self, counts, index, votes):
        tally = counts.scatter_add(0, index, votes)
        peak = counts.scatter_reduce(0, index, votes, "amax", include_self=False)
        return tally, peak, counts.index_add(0, index, votes), torch.bincount(index, minlength=7)


def get_inputs():
    return [
        torch.zeros(6, dtype=torch.int8),
        torch.tensor([1, 1, 4, 5]),
        torch.tensor([-3, -9, 7, 100], dtype=torch.int8),
    ]
