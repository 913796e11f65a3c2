"""mul_softmax_pattern: for a uint8 (or int8) tensor scaled by a Python float, softmax(x * 0.5) is rewritten
to (inp - max_) * 0.5 with the subtraction in uint8, which wraps to positive numbers, where eager subtracts
the maximum in float32 after the scaling."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        s = x * 0.5
        return torch.softmax(x * 0.5, dim=-1), s - torch.amax(s, -1, True)


def get_inputs():
    x = torch.tensor([[1, 5, 3, 2, 0, 7, 4, 6], [9, 8, 10, 11, 12, 15, 14, 13]], dtype=torch.uint8)
    return [x]


OPTIONS = {"mode": "inductor_max_autotune", "threads": 2}
