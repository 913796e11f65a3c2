"""The program looks at the stack, which is another one when it is compiled."""

import inspect

import torch


def depth():
    return float(len(inspect.stack()))


class Model(torch.nn.Module):
    def forward(self, x):
        return x * depth()


def get_inputs():
    return [torch.linspace(0.0, 1.0, 12).reshape(3, 4)]
