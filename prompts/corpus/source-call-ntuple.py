"""TorchInGraphFunctionVariable._call_ntuple: a keyword call _pair(x=3) raises an AssertionError inside Dynamo
and compilation fails, where eager's parse(x) takes the keyword and gives (3, 3)."""

import torch
from torch.nn.modules.utils import _pair


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        k = _pair(x=2)
        return x.repeat(k)


def get_inputs():
    return [torch.arange(6, dtype=torch.float32).reshape(2, 3)]
