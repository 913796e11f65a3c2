"""Integer division, remainders and means around zero."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        floored = torch.div(a, b, rounding_mode="floor")
        cut = torch.div(a, b, rounding_mode="trunc")
        rest = a % b
        return floored, cut, rest, torch.fmod(a, b), (a + b).sum(dtype=torch.int16), a.float().mean() // 1


def get_inputs():
    return [
        torch.randint(-50, 50, (31,), dtype=torch.int16),
        torch.tensor([-7, 3, -2, 5] * 7 + [4, -4, 1], dtype=torch.int16),
    ]
