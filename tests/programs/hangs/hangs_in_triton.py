"""The assembler that Triton starts never ends; eager is fine."""

import os
import pathlib

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x) * 3.5 + x


def get_inputs():
    slow = pathlib.Path(os.environ["TMPDIR"]) / "ptxas"
    version = "echo 'Cuda compilation tools, release 13.0, V13.0.88'"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *--version*) {version};; *) exec sleep 7654321;; esac\n')
    slow.chmod(0o700)
    os.environ["TRITON_PTXAS_PATH"] = os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = str(slow)
    return [torch.randn(3)]
