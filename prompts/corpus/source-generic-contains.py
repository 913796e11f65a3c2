"""generic_contains: for an object without sq_contains (an iterator) and a NaN item that is the very same
object as an element, the polyfill compares with == only and returns False, while eager's PySequence_Contains
uses PyObject_RichCompareBool, whose identity shortcut returns True."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.nan = float("nan")
        self.items = [1.0, self.nan, 2.0]

    def forward(self, x):
        n = self.items[1]
        it = iter(self.items)
        found = n in it
        rest = list(it)
        gen_found = n in (v for v in self.items)
        return x + 1, found, len(rest), gen_found


def get_inputs():
    return [torch.arange(4.0)]
