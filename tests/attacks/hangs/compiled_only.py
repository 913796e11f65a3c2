"""Only the second run raises, when it is compiled code's turn, and the text of its error never ends."""

import pathlib

import torch

RUNS = pathlib.Path(__file__).with_suffix(".runs")
LATE = RUNS.exists()
RUNS.touch()


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Endless(Exception):
    def __str__(self):
        hang()


class Model(torch.nn.Module):
    def forward(self, x):
        if LATE:
            raise Endless()
        return x + 1


def get_inputs():
    return [torch.randn(4, 5)]
