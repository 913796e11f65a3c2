import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, quantised, scale):
        width = quantised.shape[-1]
        signed = quantised.to(torch.int8)
        cold = signed.amax(dim=-1, keepdim=True)
        real = cold.float() * scale
        offset = real.neg()
        step = offset / 127
        step = step.clamp(min=1e-3)
        levels = signed.float() * scale / step
        spread = levels.abs().mean(dim=-1)
        ratio = spread / width
        return ratio, cold.squeeze(-1)


def get_inputs():
    return [-(torch.arange(168).reshape(3, 56) % 100 + 5), torch.tensor(0.5)]
