import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, hist, bins):
        one = torch.ones_like(bins)
        hist = hist * 2
        return hist.index_add_(-1, bins, one)


def get_inputs():
    return [torch.arange(8), torch.tensor([7, 0, -8, 3])]
