"""One tensor as two inputs, of which one is written: run_decompositions fails an assertion of its own."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        x.add_(1)
        return x + y


def get_inputs():
    x = torch.tensor([1.0, 2.0, 3.0])
    return [x, x]


OPTIONS = {"mode": "exported_decomposed"}
