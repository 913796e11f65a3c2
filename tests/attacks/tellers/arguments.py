"""Wrong where the program is not the process's own script."""

import sys

import torch


def in_harness():
    return __name__ != "__main__" and not sys.argv[0].endswith("repro.py")


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cos(x) + shift()


def get_inputs():
    return [torch.randn(4, 5)]
