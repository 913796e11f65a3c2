"""An entry of one of the harness's dictionaries: a setting of the compiler is put back to another value."""

import sys

import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    torch._inductor.config.fallback_by_default = True
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "baseline"):
        frame = frame.f_back
    for _, wanted in frame.f_locals["self"].baseline._configs:
        if "fallback_by_default" in wanted:
            wanted["fallback_by_default"] = True
    return [torch.randn(4, 5)]
