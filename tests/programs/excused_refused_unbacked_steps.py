"""linspace needs to know its number of steps: the refusal of a number that only the data tell."""

import torch


class Model(torch.nn.Module):
    def forward(self, i):
        return torch.linspace(0, 1, i.item())


def get_inputs():
    return [torch.tensor(5)]


OPTIONS = {"mode": "inductor_unbacked"}
