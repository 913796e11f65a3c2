import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        kept = F.dropout(x, 0.3, training=False)
        kept.mul_(3)
        return kept + 1


def get_inputs():
    return [torch.ones(4, 3)]
