import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return F.soft_margin_loss(x, y)


def get_inputs():
    return [torch.ones(3).half(), torch.ones(3)]
