"""The second call has other strides than the example: AOTInductor compiles for the example's, checks are off unless
AOTI_RUNTIME_CHECK_INPUTS is set."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2 + torch.arange(12.0).view(3, 4)


def get_inputs(scale=1):
    if scale == 1:
        return [torch.arange(12.0).view(3, 4)]
    return [torch.arange(12.0).view(4, 3).t()]


OPTIONS = {"mode": "aot_inductor", "calls": 2}
