import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, z, t):
        losses = F.soft_margin_loss(z.view(2, 3).t(), t.view(3, 2), reduction="mean")
        return losses.reshape(1)


def get_inputs():
    return [torch.linspace(-1, 1, 6).bfloat16(), torch.tensor([1, -1, 1, 1, -1, -1], dtype=torch.float64)]
