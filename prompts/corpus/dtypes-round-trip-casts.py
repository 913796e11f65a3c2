"""Values rounded on purpose by a cast to a shorter type and back."""

import torch


class Model(torch.nn.Module):
    def forward(self, signal):
        coarse = signal.half().float()
        coarser = signal.bfloat16().half().float()
        residue = signal - coarse
        stepped = signal.double().float().double()
        return coarse, coarser, residue * 1024, stepped


def get_inputs():
    return [torch.randn(4, 33)]
