import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, wave):
        wave = wave.to(torch.int16)
        padded = F.pad(wave, (1, 1))
        left = padded[..., :-2]
        right = padded[..., 2:]
        edge = right - left
        energy = edge * edge
        stacked = torch.stack([edge, energy], dim=1)
        flat = stacked.flatten(1, 2)
        gated = torch.ops.aten.glu(flat, 1)
        rest = gated.float().mean(dim=-1)
        scale = rest.abs() + 1
        return gated.float() / scale[..., None], rest


def get_inputs():
    return [torch.arange(24).reshape(2, 2, 6) % 7]
