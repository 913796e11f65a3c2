"""addcmul of integers takes an integer `value`; eager cuts 1.5 off, compiled code rounds the product."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b, c):
        return a.clone().addcmul_(b, c, value=1.5)


def get_inputs():
    return [torch.arange(-8, 8).view(4, 4), torch.arange(16).view(4, 4), torch.tensor([1, -1, 1, 1])]
