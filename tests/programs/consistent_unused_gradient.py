"""An input that does not reach the output: None in eager, zeros when compiled are the same gradient."""

import torch

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x * 2


def get_inputs():
    return [torch.randn(3), torch.randn(3)]
