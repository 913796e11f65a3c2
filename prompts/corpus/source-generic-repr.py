"""generic_repr: the text for a cycle is known only for exact list, dict and deque; for a tuple that contains
itself through a list CPython writes "(...)" but Dynamo writes "...", so the string and its length differ."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        inner = [1]
        t = (inner, 2)
        inner.append(t)
        s = repr(t)
        q = repr(inner)
        return x + len(s), x + len(q), x * s.count("(")


def get_inputs():
    return [torch.zeros(3)]


OPTIONS = {"calls": 2, "dynamic": True}
