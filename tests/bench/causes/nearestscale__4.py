import torch
import torch.nn as nn

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, features):
        mean = features.mean(dim=(2, 3), keepdim=True)
        centred = features - mean
        var = centred.square().mean(dim=(2, 3), keepdim=True)
        normed = centred / (var + 1e-3).sqrt()
        gate = torch.sigmoid(normed)
        active = gate * features
        large = torch.nn.functional.interpolate(active, scale_factor=1.15, mode="nearest")
        merged = large + 0.5 * features
        left = merged[..., :2]
        right = merged[..., 2:4]
        mixed = torch.cat([right, left], dim=-1)
        return mixed.clamp(-4, 4)


def get_inputs():
    return [torch.linspace(-3, 5, 50).reshape(1, 2, 5, 5)]
