"""t().contiguous() of a size that only the data tell: the strides are not contiguous."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        u = torch.unique(x, dim=0)
        return u.t().contiguous()


def get_inputs():
    return [torch.randint(0, 2, (8, 3))]


OPTIONS = {"mode": "inductor_unbacked"}
