"""logit_backward: for a NaN input with eps, self >= lo is False and the gradient becomes 0.0, eager tests x <
lo or x > hi, both False, and so returns grad / (x * (1 - x)) = nan."""

import torch

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([0.3, float("nan"), 0.7, 2.0]))

    def forward(self, x):
        return torch.logit(self.w + x, eps=1e-3)


def get_inputs():
    return [torch.zeros(4)]
