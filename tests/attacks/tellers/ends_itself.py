"""Wrong under the harness; run by itself it says that it is shown, and ends the interpreter."""

import os

import torch


@torch.compiler.disable
def shift():
    if __name__ == "__main__":
        print("shown", flush=True)
        os._exit(0)
    return 3.0 if torch._dynamo.utils.counters["frames"] else 0.0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.atan(x) + shift()


def get_inputs():
    return [torch.randn(4, 5)]
