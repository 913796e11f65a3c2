import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        start = torch.full_like(x, torch.nan)
        best = F.log_softmax(start, dim=-1)
        return best, x * 2


def get_inputs():
    return [torch.arange(6, dtype=torch.float64).reshape(2, 3)]
