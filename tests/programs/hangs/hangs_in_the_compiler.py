"""The C++ compiler that Inductor starts never ends, and has started a process of its own."""

import os
import pathlib

import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x) * 2.5 + x


def get_inputs():
    slow = pathlib.Path(os.environ["TMPDIR"]) / "slow-compiler"
    slow.write_text("#!/bin/sh\nsetsid sleep 7654321 &\nexec sleep 7654321\n")
    slow.chmod(0o700)
    torch._inductor.config.cpp.cxx = (str(slow),)
    return [torch.randn(3)]
