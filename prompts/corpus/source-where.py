"""where: a uint8 condition is refused by the check for bool (this ref is also the meta of aten.where), while
eager only warns, converts the condition to bool and selects."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, cond, x, y):
        return torch.where(cond, x, y)


def get_inputs():
    cond = torch.tensor([0, 1, 2, 0, 255], dtype=torch.uint8)
    return [cond, torch.arange(5.0), -torch.ones(5)]


OPTIONS = {"fullgraph": True}
