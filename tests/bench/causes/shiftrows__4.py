import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, history, sample):
        scaled = sample * 0.5
        bounded = scaled.clamp(-2, 2)
        energy = bounded.square().sum()
        gain = 1 / (1 + energy)
        fresh = bounded * gain
        old = history[:-2].clone()
        history[2:].copy_(old)
        history[:2] = fresh
        trend = history[0] - history[-1]
        level = history.mean(dim=1)
        peak = level.amax()
        return trend / (peak.abs() + 1), level


def get_inputs():
    return [torch.arange(144.0).reshape(9, 16), torch.linspace(-3, 3, 16)]
