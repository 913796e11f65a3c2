import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        q = torch.div(a.exp() - 40, b, rounding_mode="floor")
        return q.sum(-1)


def get_inputs():
    return [torch.zeros(2, 3), torch.tensor([float("inf"), 4.0, 2.0])]
