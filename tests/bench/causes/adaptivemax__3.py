import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, image):
        value, place = F.adaptive_max_pool2d(image, (2, 3), return_indices=True)
        return value.float() / 3, place


def get_inputs():
    return [torch.arange(48, dtype=torch.int16).reshape(2, 1, 4, 6)]
