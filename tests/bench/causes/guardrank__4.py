import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, batch, scale):
        scaled = batch * scale
        mean = scaled.mean(dim=1, keepdim=True)
        centred = scaled - mean
        spread = centred.abs().amax(dim=1, keepdim=True)
        normed = centred / (spread + 1e-6)
        column = scale.contiguous()
        column.unsqueeze_(0)
        column.unsqueeze_(0)
        weights = torch.softmax(column * normed, dim=-1)
        mixed = (weights * normed).sum(-1)
        low = mixed.amin()
        return mixed - low


def get_inputs():
    return [torch.arange(15, dtype=torch.float64).reshape(3, 5) ** 2, torch.linspace(1, 2, 5, dtype=torch.float64)]
