"""PyTorch issue 169760: relu, then padding of a dynamic dimension. Autotuning code for the GPU copies what a kernel
writes to, beyond its end; without autotuning, and on the CPU, nothing is wrong."""

import torch
import torch.nn.functional as F

OPTIONS = {"mode": "inductor_max_autotune", "mark_dynamic": [[0, 0]]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before = torch.nn.Linear(32, 64)
        self.after = torch.nn.Linear(64, 16)

    def forward(self, x):
        rows = torch.relu(self.before(x))
        return self.after(F.pad(rows, (0, 0, 0, -x.shape[0] % 4)))


def get_inputs():
    return [torch.randn(34, 32)]
