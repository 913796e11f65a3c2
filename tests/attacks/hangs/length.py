"""Measuring an output asks for its length."""

import torch


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless(list):
    def __len__(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        return [x + 1, Endless()]


def get_inputs():
    return [torch.randn(4, 5)]
