"""Frames of a clip move one place on, in the caller's own tensor."""

import torch


class Model(torch.nn.Module):
    def forward(self, clip):
        clip[1:] = clip[:-1].clone()
        return clip * 2


def get_inputs():
    return [torch.rand(4, 20, 20)]
