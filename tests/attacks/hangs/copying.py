"""Moving an input to its device copies its container."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless(dict):
    def items(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        return x["x"] + 1


def get_inputs():
    return [Endless(x=torch.randn(4, 5))]
