import torch
import torch.nn as nn
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, x, y):
        return F.smooth_l1_loss(x, y, reduction="none")


def get_inputs():
    return [torch.tensor([1.0, float("nan"), 3.0]), torch.zeros(3)]
