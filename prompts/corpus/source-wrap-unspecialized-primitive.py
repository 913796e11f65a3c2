"""wrap_unspecialized_primitive: a NumPy scalar becomes a real 0-dim tensor of its own dtype instead of a
wrapped number, so a 0-dim float32 tensor times np.float64 gives float64 (int32 plus np.int64 gives int64,
int64 vector times np.float64 gives float64), eager treats it as a Python scalar and gives float32 (int32,
float32)."""

import numpy as np
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.h = np.float64(0.5)
        self.i = np.int64(3)

    def forward(self, x, n, v):
        s = x.sum()
        k = n[0]
        return s * self.h, k + self.i, v * self.h


def get_inputs():
    return [
        torch.arange(4.0),
        torch.tensor([1, 2], dtype=torch.int32),
        torch.tensor([1, 2, 3]),
    ]
