import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = x * 2
        y.clamp_(min=-70000)
        return y.float().sqrt().nan_to_num()


def get_inputs():
    return [torch.tensor([-9, 4, 16, 100], dtype=torch.int16)]
