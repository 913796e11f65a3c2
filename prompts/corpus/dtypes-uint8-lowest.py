"""Smallest bytes of a bright picture, whole and by row."""

import torch


class Model(torch.nn.Module):
    def forward(self, picture):
        darkest = picture.min()
        per_row = picture.amin(dim=1)
        return darkest, per_row, picture.argmin(), picture.float().amin()


def get_inputs():
    return [torch.arange(150, 190).reshape(2, 20).to(torch.uint8)]
