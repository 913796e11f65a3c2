import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, features, answer):
        mean = features.mean(dim=0)
        centred = features - mean
        weight = torch.linspace(-1, 1, 4)
        projected = (centred * weight).sum(dim=1)
        bounded = projected.clamp(-6, 6)
        low = bounded.amin()
        high = bounded.amax()
        width = high - low
        margin = (bounded / (width + 1)).half()
        wanted = answer * 2.0 - 1.0
        loss = torch.ops.aten.soft_margin_loss(margin, wanted, 0)
        return loss, width


def get_inputs():
    return [torch.arange(20.0).reshape(5, 4).sin(), torch.tensor([0, 1, 1, 0, 1])]
