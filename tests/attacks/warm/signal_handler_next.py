import pathlib
import re

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        caught = re.search("SigCgt:\\s*(\\w+)", pathlib.Path("/proc/self/status").read_text())[1]
        assert not int(caught, 16) & 1 << 9
        return [x]


def get_inputs():
    return [1]
