"""SkipFunctionVariable.call_function: types.FunctionType.__get__(f, None, cls) returns the plain function in
eager, here a bound method with self = None is made, so None is passed as first argument."""

import types

import torch


def scale(a, b=3.0):
    if a is None:
        return b * 10.0
    return a * b


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        g = types.FunctionType.__get__(scale, None, Model)
        return g(x)


def get_inputs():
    return [torch.arange(4.0)]


OPTIONS = {"fullgraph": True}
