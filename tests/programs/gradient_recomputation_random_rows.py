"""Rows are sampled by random indices. Backward computes the indices again and gets others: the gradient goes to rows
that forward did not take."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[torch.randint(0, 8, (8,))].exp().sin()


def get_inputs():
    return [torch.randn(8, 8)]


OPTIONS = {"mode": "inductor_recomputation", "backward": True}
