"""Running sums in a narrower type than the one they start from."""

import torch


class Model(torch.nn.Module):
    def forward(self, counts, flags):
        position = torch.cumsum(flags, dim=1, dtype=torch.int32)
        steps = torch.full((5,), 1, dtype=torch.int16).cumsum(0, dtype=torch.int16)
        ones = torch.ones(2, 5, dtype=torch.float64).cumsum(-1, dtype=torch.float32)
        return position, steps, ones, counts.cumsum(-1), counts.cumprod(0, dtype=torch.uint8)


def get_inputs():
    return [torch.randint(-9, 9, (3, 11), dtype=torch.int8), torch.rand(4, 9) > 0.4]
