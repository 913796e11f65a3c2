import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, prediction, target):
        return F.huber_loss(prediction * 2, target, reduction="none", delta=0.5)


def get_inputs():
    return [torch.linspace(-2, 2, 15).reshape(3, 5).bfloat16(), torch.linspace(1, -1, 15).reshape(3, 5).half()]
