import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, size):
        area = size.prod(dim=1)
        longest = size.amax(dim=1)
        shortest = size.amin(dim=1)
        extra = longest - shortest
        odd = extra % 2
        even = 1 - odd
        total = area + extra + even
        inverse = total.clone()
        inverse.pow_(-1)
        weights = torch.where(odd > 0, inverse, total)
        ratio = weights.double() / area.double()
        return ratio.cumsum(0)


def get_inputs():
    return [torch.tensor([[3, 4], [5, 7], [2, 2]])]
