import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, weights, bias):
        flat = weights.float().unsqueeze_(0)
        return torch.tanh(flat + bias)


def get_inputs():
    return [torch.linspace(-1, 1, 5), torch.ones(1)]
