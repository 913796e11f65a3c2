"""The program does otherwise when it is compiled, and asks under many names: values, a dtype, another leaf."""

import torch
from torch._dynamo import is_compiling as traced
from torch.compiler import is_compiling, is_dynamo_compiling


class Model(torch.nn.Module):
    def forward(self, x):
        scale = 3.0 if is_compiling() else 2.0
        wide = x.double() if is_dynamo_compiling() else x
        shorter = x[1:] if torch.compiler.is_compiling() else x
        result = (x * scale).sum(0), wide, shorter
        return (*result, x + 1) if traced() else result


def get_inputs():
    return [torch.linspace(0.0, 1.0, 12).reshape(3, 4)]
