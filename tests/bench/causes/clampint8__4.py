import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, signal, gain):
        wide = signal.to(torch.int32)
        power = wide * wide
        level = power.float().mean(dim=1).sqrt()
        loud = level > 20
        small = torch.where(loud[:, None], wide // 2, wide)
        narrow = small.to(torch.int8)
        bounded = torch.clamp(narrow, -200, 500)
        mixed = bounded.float() * gain
        left = mixed[:, ::2]
        right = mixed[:, 1::2]
        side = left - right
        return side.abs().sum(1), bounded


def get_inputs():
    return [torch.tensor([[100, -100, 50, 20], [3, -4, 5, 6]], dtype=torch.int16), torch.tensor(0.5)]
