"""AOTInductor loses half of an exchange of two inputs: the second input keeps its old values."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        kept = x.clone()
        x.copy_(y)
        y.copy_(kept)
        return x + 1


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])]


OPTIONS = {"mode": "aot_inductor"}
