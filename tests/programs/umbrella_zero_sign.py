"""The sign of a zero that compiled code loses, made visible by copysign, a division, signbit and a view as integers."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        zero = (x[:1] * -0.0).sum(0)
        return torch.copysign(x[1:], zero), 1 / zero, torch.signbit(zero), zero.view(torch.int32), torch.atan2(zero, -x)


def get_inputs():
    return [torch.linspace(0.5, 1.5, 5)]
