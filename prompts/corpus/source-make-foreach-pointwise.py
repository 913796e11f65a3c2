"""make_foreach_pointwise: the Tensor overload of _foreach_addcmul passes a 1-D tensor with one scalar per
list element, which is popped whole as `value` (and a ScalarList is not popped at all and becomes a fourth
operand), while eager uses scalars[i] for element i."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a0, a1, b0, b1, s):
        out = torch._foreach_addcmul([a0, a1], [b0, b1], [a1, a0], s)
        out2 = torch._foreach_addcmul([a0, a1], [b0, b1], [a1, a0], [2.0, 3.0])
        out3 = torch._foreach_addcdiv([a0, a1], [b0, b1], [a1, a0], [2.0, 3.0])
        return out[0], out[1], out2[0], out2[1], out3[0], out3[1]


def get_inputs():
    return [
        torch.tensor([1.0, 2.0]),
        torch.tensor([3.0, 4.0]),
        torch.tensor([5.0, 6.0]),
        torch.tensor([7.0, 8.0]),
        torch.tensor([10.0, 100.0]),
    ]
