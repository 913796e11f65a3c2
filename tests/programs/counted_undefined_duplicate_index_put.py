"""The fault counts where this does not occur: different values put at one index."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.zeros(8, device=x.device)
        y[x] = torch.arange(3.0, device=x.device)
        return y + 1 if torch.compiler.is_compiling() else y


def get_inputs():
    return [torch.tensor([1, 5, 2])]
