"""Writes through unfold, diagonal, chunk, another dtype and the parts of a complex input: all agree."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, z):
        x.unfold(0, 2, 2)[0].mul_(2)
        x.diagonal().add_(1)
        x.chunk(2)[1].neg_()
        x[:, 1].view(torch.int32).bitwise_and_(0x7FFFFFFF)
        z.real.add_(1)
        z.imag.mul_(2)
        torch.view_as_real(z)[..., 0].sub_(3)
        return x * 2, z + 1


def get_inputs():
    return [torch.arange(16.0).view(4, 4) - 8, torch.tensor([1 + 2j, 3 - 4j])]


OPTIONS = {"mode": "aot_inductor"}
