import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, amount, unit):
        whole = amount // unit
        return whole, amount * 2


def get_inputs():
    return [
        torch.tensor([[4.0, float("inf")], [-float("inf"), 7.5]], dtype=torch.float64),
        torch.tensor([2.0, 3.0], dtype=torch.float64),
    ]
