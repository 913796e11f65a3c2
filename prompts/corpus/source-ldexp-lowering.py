"""ldexp_lowering: x of float16 (or float32) with integer n returns the dtype of x, and the float n case (line
1134) returns x_dtype too, while eager computes x * pow(2.0, n), which promotes (float16 with float32, float32
with float64 exponents) to the wider dtype."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, h, f, i, n_int, n_double):
        return (
            torch.ldexp(h, n_int),
            torch.ldexp(f, n_double),
            torch.ldexp(i, n_double),
        )


def get_inputs():
    return [
        torch.tensor([1.5, -2.0, 3.0], dtype=torch.float16),
        torch.tensor([1.1, 2.2, 3.3]),
        torch.tensor([1, 2, 3]),
        torch.tensor([1, 20, -3]),
        torch.tensor([0.5, 1.0, -2.0], dtype=torch.float64),
    ]
