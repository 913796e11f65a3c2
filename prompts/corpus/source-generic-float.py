"""generic_float: float() of an object that defines only __index__ returns the int of nb_index_impl
unconverted, so an integer tensor times float(obj) stays int64 under compile while CPython converts the index
to a float and eager gives float32."""

import torch


class Three:
    def __index__(self):
        return 3


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = Three()

    def forward(self, x):
        f = float(self.k)
        return x * f, torch.full((2,), f), x + (1 if isinstance(f, float) else 100)


def get_inputs():
    return [torch.arange(5)]
