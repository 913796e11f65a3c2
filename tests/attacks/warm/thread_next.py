import os

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        assert len(os.listdir("/proc/self/task")) < 20
        return [x]


def get_inputs():
    return [1]
