"""The caller sees its own tensor shifted along one axis."""

import torch


class Model(torch.nn.Module):
    def forward(self, history, newest):
        history[:, 1:] = history[:, :-1].clone()
        history[:, 0] = newest
        return history.mean(1)


def get_inputs():
    return [torch.rand(5, 6, 16), torch.rand(5, 16)]
