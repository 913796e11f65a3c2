import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, image):
        return F.interpolate(image, size=(5, 7), mode="bilinear", align_corners=True) * 2


def get_inputs():
    return [torch.arange(16).reshape(1, 1, 4, 4)]
