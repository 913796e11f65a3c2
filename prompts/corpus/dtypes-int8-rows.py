"""Highest of each row and column of negative bytes."""

import torch


class Model(torch.nn.Module):
    def forward(self, depth):
        shallow, column = depth.max(dim=1)
        return shallow, column, depth.amax(dim=0), depth.amin(dim=1) - 1


def get_inputs():
    return [-torch.arange(1, 81).reshape(4, 20).to(torch.int8)]
