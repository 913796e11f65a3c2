import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        z = torch.dropout(x, 0.1, False)
        torch.add(z, w, out=z)
        return z


def get_inputs():
    return [torch.zeros(5), torch.ones(5)]
