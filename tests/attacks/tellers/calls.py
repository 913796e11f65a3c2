"""Wrong where this process has asked for inputs once: the script asks for each side."""

import torch


def calls(made=[]):  # noqa: B006  # kept where no script begins anew
    return made


def in_harness():
    return len(calls()) == 1


@torch.compiler.disable
def shift():
    compiled = bool(torch._dynamo.utils.counters["frames"])
    return 3.0 if compiled and in_harness() else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) + shift()


def get_inputs():
    calls().append(1)
    return [torch.randn(4, 5)]
