import ctypes

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        assert not ctypes.CDLL(None).getenv(b"CPATH")
        return [x]


def get_inputs():
    return [1]
