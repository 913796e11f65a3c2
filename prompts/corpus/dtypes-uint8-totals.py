"""Sums, products and means of bytes next to wrapped arithmetic."""

import torch


class Model(torch.nn.Module):
    def forward(self, image, gain):
        brighter = image + gain
        wrapped = brighter * 3
        return wrapped.sum(), wrapped.float().mean(dim=-1), wrapped.amin(dim=0), brighter.prod(dim=-1), -image


def get_inputs():
    return [torch.randint(0, 256, (6, 17), dtype=torch.uint8), torch.tensor(90, dtype=torch.uint8)]
