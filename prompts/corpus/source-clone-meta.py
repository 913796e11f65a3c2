"""_clone_meta: for a 1-D view of one element with stride 5 compute_elementwise_output_strides returns (1,) at
once, eager's clone finds it non-overlapping and dense and keeps the stride 5."""

import torch

OPTIONS = {"threads": 2, "dynamic": True, "calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x[::5][:1]
        z = y.clone()
        return y.stride(), z.stride(), z


def get_inputs(scale=0):
    return [torch.arange(20.0 + 10 * scale)]
