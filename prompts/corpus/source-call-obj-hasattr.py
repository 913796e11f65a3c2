"""FunctoolsPartialVariable.call_obj_hasattr: partial objects have a __dict__, yet hasattr is answered for a
fresh partial of identity and var_getattr raises AttributeError for all names but func, args and keywords, so
a user attribute on a partial is not found, eager finds it."""

import functools

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fn = functools.partial(torch.add, alpha=2)
        self.fn.scale = 3.0

    def forward(self, x, y):
        out = self.fn(x, y)
        found = hasattr(self.fn, "scale")
        s = getattr(self.fn, "scale", 1.0)
        return out * s, found


def get_inputs():
    return [torch.arange(4.0), torch.ones(4)]
