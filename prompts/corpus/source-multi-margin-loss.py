"""multi_margin_loss: where margin - x[y] + x[i] is exactly 0, the gradient of clamp_min passes (self >= min)
and compiled code sends a gradient, while eager's multi_margin_loss_backward counts only z > 0 and gives
zero."""

import torch
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, target):
        return F.multi_margin_loss(x, target, p=1, margin=1.0, reduction="sum")


def get_inputs():
    x = torch.tensor([[2.0, 1.0, 0.0], [0.5, 1.5, 0.5]], requires_grad=True)
    target = torch.tensor([0, 1])
    return [x, target]
