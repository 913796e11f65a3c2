"""After the recompile limit the second call runs in eager, unasked; nothing differs."""

import torch

OPTIONS = {"calls": 2, "dynamo_config": {"recompile_limit": 1, "assume_static_by_default": True}}


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2 + x.shape[0]


def get_inputs(scale: int = 1):
    return [torch.arange(4.0 * scale)]
