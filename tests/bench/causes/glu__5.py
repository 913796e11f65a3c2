import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, levels):
        halves = F.glu(levels.permute(2, 0, 1), 0)
        return halves.amax(), levels.float().std()


def get_inputs():
    return [torch.arange(16, dtype=torch.uint8).reshape(2, 2, 4)]
