"""PyTorch issue 169760: relu, then padding of a dimension marked dynamic, for a matrix product. Where strides of
dynamic shapes are padded, as torch 2.9 does by itself, the padding is written into relu's own memory, and code that
autotunes that kernel on the GPU copies beyond its end."""

import torch
import torch.nn.functional as F

OPTIONS = {
    "mode": "inductor_max_autotune",
    "mark_dynamic": [[0, 1], [1, 0]],
    "inductor_config": {"pad_dynamic_shapes": True},
}


class Model(torch.nn.Module):
    def forward(self, x, weight):
        return F.pad(torch.relu(x), (0, 6)) @ weight


def get_inputs():
    return [torch.randn(64, 2050), torch.randn(2056, 16)]
