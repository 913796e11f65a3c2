"""Wrong where an object of the worker's classes is alive."""

import gc
import sys

import torch


def in_harness():
    return any(type(each).__module__ == "parityd_worker" for each in gc.get_objects()) or "modes" in sys.modules


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x) + shift()


def get_inputs():
    return [torch.randn(4, 5)]
