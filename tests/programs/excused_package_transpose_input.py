"""t_ of an input is refused by AOTInductor in plain words."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        x.t_()
        return x + 1


def get_inputs():
    return [torch.ones(3, 2)]


OPTIONS = {"mode": "aot_inductor"}
