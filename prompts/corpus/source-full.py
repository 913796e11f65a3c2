"""_full: for torch.full with a 0-dim tensor as fill value and no dtype, the fill is a tensor that is loaded
as it is into the default or the tensor's own dtype, while eager takes item() and infers the dtype from the
Python scalar: int64 for int32, float32 for float64, bool for bool."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, i, d, b):
        return torch.full((3,), i), torch.full((2, 2), d), torch.full((2,), b)


def get_inputs():
    return [
        torch.tensor(7, dtype=torch.int32),
        torch.tensor(0.1, dtype=torch.float64),
        torch.tensor(True),
    ]


OPTIONS = {"threads": 2}
