"""Mantissas, neighbours and signs of very small and signed-zero numbers."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, signs):
        mantissa, exponent = torch.frexp(x)
        stepped = torch.nextafter(x, torch.ones_like(x))
        return mantissa * 3.0, exponent + 1, stepped, torch.copysign(x, signs), torch.signbit(signs)


def get_inputs():
    return [torch.tensor([1.5, -0.75, 3e-39, 1e30, 0.25, -8.0]), torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, -0.0])]
