"""wrap_numpy_ndarray: for a read-only array over an immutable buffer (np.frombuffer of bytes), the attempt to
set WRITEABLE raises ValueError and, as base is no nditer, an AssertionError leaves Dynamo, eager just reads
the array."""

import numpy as np
import torch


@torch._dynamo.disable
def make():
    return np.frombuffer(bytes([1, 2, 3, 4]), dtype=np.uint8)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = make()
        return x + torch.as_tensor(a * 2)


def get_inputs():
    return [torch.arange(4.0)]


OPTIONS = {"calls": 2, "dynamic": True}
