"""associative_scan of a subtraction, which is not associative: the operator demands an associative one, other results
are undefined (here they agree)."""

import torch
from torch._higher_order_ops.associative_scan import associative_scan


class Model(torch.nn.Module):
    def forward(self, x):
        return associative_scan(lambda a, b: a - b, x, dim=0, combine_mode="generic")


def get_inputs():
    return [torch.arange(7.0).view(7, 1)]
