import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, table, which):
        rows = table.index_select(1, which - 2)
        return rows * rows


def get_inputs():
    return [torch.arange(20, dtype=torch.float64).reshape(2, 2, 5)[:, 0], torch.tensor([2, 0, 4])]
