"""Eager itself never ends: nobody's bug."""

import time

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        time.sleep(7654321)
        return x


def get_inputs():
    return [torch.randn(3)]
