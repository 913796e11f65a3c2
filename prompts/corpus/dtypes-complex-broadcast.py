"""Complex numbers of different shapes added, multiplied and split again."""

import torch


class Model(torch.nn.Module):
    def forward(self, wave, carrier):
        shifted = wave + carrier
        turned = shifted * torch.tensor(1j)
        return shifted.real, turned.imag, shifted.abs(), torch.view_as_real(turned - carrier)


def get_inputs():
    return [torch.randn(3, 4, dtype=torch.complex64), torch.randn(3, 1, dtype=torch.complex64)]
