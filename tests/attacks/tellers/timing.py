"""Wrong where the compiler's modules were imported before the program: its inputs are wanted at once."""

import time

import torch

BEGUN = time.perf_counter()


def wanted(at=[]):  # noqa: B006  # no global: the script compares those
    return at


def in_harness():
    return wanted()[0] - BEGUN < 0.25


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(x) + shift()


def get_inputs():
    wanted().append(time.perf_counter())
    return [torch.randn(4, 5)]
