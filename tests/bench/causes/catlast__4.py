import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, image, skip):
        mean = image.mean(dim=(2, 3), keepdim=True)
        centred = image - mean
        power = centred.square().mean(dim=(2, 3), keepdim=True)
        normed = centred / (power + 1e-5).sqrt()
        gate = torch.sigmoid(normed)
        active = normed * gate
        low = skip.clamp(max=0.5)
        high = skip.clamp(min=0.5)
        detail = high - low
        scaled = detail * 0.25
        merged = active + scaled
        joined = torch.ops.aten.cat.default([merged, merged], 1)
        return joined


def get_inputs():
    return [
        torch.linspace(0, 3, 96).reshape(2, 4, 3, 4).to(memory_format=torch.channels_last),
        torch.linspace(0, 1, 96).reshape(2, 4, 3, 4).to(memory_format=torch.channels_last),
    ]
