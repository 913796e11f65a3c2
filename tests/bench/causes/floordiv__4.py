import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, signal):
        centred = signal - signal.mean(dim=1, keepdim=True)
        spread = centred.abs().amax(dim=1, keepdim=True)
        step = spread / 4
        level = torch.where(step > 0.5, step, torch.full_like(step, float("inf")))
        shifted = centred - 1
        bins = shifted.clone()
        bins.floor_divide_(level)
        low = bins.amin(dim=1)
        high = bins.amax(dim=1)
        width = high - low
        weight = torch.softmax(centred, dim=1)
        score = (weight * bins).sum(dim=1)
        return score, width


def get_inputs():
    return [torch.tensor([[0.0, 8.0, -8.0, 4.0], [0.25, 0.5, 0.25, 0.5], [1.0, 1.0, 2.0, 2.0]])]
