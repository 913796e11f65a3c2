"""Positions counted from a mask, used to look up a table."""

import torch
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 3)

    def forward(self, tokens):
        mask = tokens.ne(1).int()
        position = torch.cumsum(mask, dim=1).type_as(mask) * mask
        ladder = torch.ones_like(tokens).cumsum(1) - 1
        return self.table(position), self.table(ladder), position.amax()


def get_inputs():
    return [torch.tensor([[4, 5, 1, 7, 8, 1, 2], [1, 1, 3, 3, 1, 9, 9]])]
