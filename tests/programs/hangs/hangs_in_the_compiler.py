"""The C++ compiler that Inductor starts never ends, and has started a process of its own."""

import os
import pathlib

import torch

slow = pathlib.Path(os.environ["TMPDIR"]) / "slow"
slow.mkdir(exist_ok=True)
(slow / "g++").write_text("#!/bin/sh\nsetsid sleep 7654321 &\nexec sleep 7654321\n")
(slow / "g++").chmod(0o700)
os.environ["PATH"] = f"{slow}:{os.environ['PATH']}"


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x) * 2.5 + x


def get_inputs():
    return [torch.randn(3)]
