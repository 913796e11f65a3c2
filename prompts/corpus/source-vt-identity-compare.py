"""vt_identity_compare: one side with a backing object and the other without are declared different objects,
but an operation can return its very input (contiguous(), to() of the same dtype, an in-place method, dropout
in eval), where eager's `is` is True."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("buf", torch.ones(3))

    def forward(self, x):
        a = 1.0 if x.contiguous() is x else 2.0
        b = 1.0 if x.to(torch.float32) is x else 2.0
        c = 1.0 if self.buf.float() is self.buf else 2.0
        d = 1.0 if F.dropout(x, 0.5, False) is x else 2.0
        y = x + 1.0
        e = 1.0 if y.contiguous() is y else 2.0
        z = y.mul_(2.0)
        f = 1.0 if z is y else 2.0
        return x * a, x * b, x * c, x * d, x * e, x * f


def get_inputs():
    return [torch.ones(3)]


OPTIONS = {"own_random": True}
