import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, state):
        work = state
        work[:, 1:] = torch.clone(work[:, :-1])
        return work * 2


def get_inputs():
    return [torch.arange(128, dtype=torch.float64).reshape(2, 4, 16)]
