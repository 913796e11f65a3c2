"""_weight_norm_interface: for a 1-D v and dim 0 keep_dim is the empty tuple, and v.norm(2, ()) reduces over
all dims, so compiled code divides by the norm of the whole vector; eager keeps dim 0 and divides each element
by its own absolute value."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, v, g):
        return torch._weight_norm(v, g, 0)


def get_inputs():
    return [
        torch.tensor([1.0, -2.0, 3.0, -4.0, 5.0]),
        torch.tensor([1.0, 1.5, 2.0, 2.5, 3.0]),
    ]


OPTIONS = {"threads": 8}
