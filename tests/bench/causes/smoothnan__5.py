import torch
import torch.nn as nn
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, x):
        half = x.flip(0)
        per = F.smooth_l1_loss(x.sin(), half, reduction="none", beta=1.5)
        return per[:2], per.nansum()


def get_inputs():
    return [torch.tensor([0.5, float("inf"), 2.0, -1.0])]
