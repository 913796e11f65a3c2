import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ids):
        pad = ids.eq(0)
        real = pad.__rsub__(3)
        return real.cumsum(-1), pad


def get_inputs():
    return [torch.tensor([[4, 2, 0, 0], [1, 0, 0, 0]], dtype=torch.int32)]
