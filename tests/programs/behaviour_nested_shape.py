"""The shape of a nested tensor made in forward is returned beside it: an internal error of AOTAutograd."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        nested = torch.nested.nested_tensor([a, b], layout=torch.jagged)
        return nested * 2, nested.shape


def get_inputs():
    return [torch.ones(2, 3), torch.ones(4, 3) * 2]
