"""A mask selects nothing: sums, products, means and sorted values of no element are eager's, NaN among them."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        chosen = x[x > 0]
        return (
            chosen.sum(),
            chosen.prod(),
            chosen.mean(),
            chosen.std(),
            chosen.cumsum(0),
            chosen.softmax(0),
            torch.cat([chosen, x.flatten()]),
        )


def get_inputs():
    return [-torch.rand(6, 4)]


OPTIONS = {"mode": "inductor_unbacked", "fullgraph": True}
