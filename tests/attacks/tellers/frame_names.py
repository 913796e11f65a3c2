"""Wrong where a function of the worker's is on the stack."""

import sys

import torch


def in_harness():
    frame = sys._getframe()
    while frame:
        if frame.f_code.co_filename.endswith("serve.py"):
            return True
        frame = frame.f_back
    return False


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + shift()


def get_inputs():
    return [torch.randn(4, 5)]
