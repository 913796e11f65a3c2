import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, prices, days):
        gain = prices[1:] - prices[:-1]
        relative = gain / prices[:-1]
        smooth = relative.cumsum(0)
        missing = torch.ones(3, 5) * float("nan")
        worst = missing.amax(dim=1)
        steps = days.float() + 1
        weight = 1 / steps
        trend = (smooth * weight).sum()
        filled = torch.nan_to_num(worst, nan=1.0)
        scaled = filled * trend
        valid = worst.isnan()
        return torch.where(valid, scaled, filled), trend


def get_inputs():
    return [torch.tensor([10.0, 11.0, 9.0, 12.0]), torch.arange(3)]
