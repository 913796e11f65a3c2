"""A jagged tensor from plain inputs: a normalised softmax over its ragged dimension, padded and whole."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(4)
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, values, offsets, bias):
        rows = torch.nested.nested_tensor_from_jagged(values, offsets)
        mixed = self.linear(self.norm(rows)) + bias.unsqueeze(1)
        weights = torch.softmax(mixed, 1)
        pooled = (weights * rows).sum(1)
        return pooled, mixed.to_padded_tensor(-1.0), mixed.sin().values().cumsum(0), weights


def get_inputs():
    return [torch.randn(9, 4), torch.tensor([0, 2, 3, 9]), torch.randn(3, 4)]
