import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores):
        best, place = torch.max(scores, dim=1)
        return best * 2


def get_inputs():
    return [-(torch.arange(120).reshape(2, 60) % 50 + 2).to(torch.int8)]
