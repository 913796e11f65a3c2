"""Wrong where the worker's environment is there."""

import os

import torch


def in_harness():
    return any(name.startswith("PARITYD") for name in os.environ)


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.erf(x) + shift()


def get_inputs():
    return [torch.randn(4, 5)]
