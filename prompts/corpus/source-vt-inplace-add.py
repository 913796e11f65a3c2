"""vt_inplace_add: for list += tensor, binary_iop1 first tries the tensor's reflected nb_add on the list,
which in eager gives NotImplemented so that list extends itself by the rows; the compiled slot traces an
addition with a list (or raises TypeError) instead of answering NotImplemented, so sq_inplace_concat is never
reached."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = [x.sum(0)]
        alias = out
        out += x
        return out[0], out[1], out[2], len(alias)


def get_inputs():
    return [torch.arange(6.0).reshape(2, 3)]


OPTIONS = {"mode": "inductor_reduce_overhead", "threads": 2}
