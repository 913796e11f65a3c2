"""Pieces split off, changed and put together in another order."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        a, b, c = x.split([2, 3, 5], dim=1)
        joined = torch.cat([c, a, b], dim=1)
        halves = torch.stack(x.chunk(2, dim=1), dim=0)
        return joined, halves.flatten(0, 1), torch.cat(x.unbind(1)[::-1], 0), torch.cat([x, x.tanh()], 1)[:, 3:12]


def get_inputs():
    return [torch.randn(4, 10)]
