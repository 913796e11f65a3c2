import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, depth, valid):
        depth = depth * valid
        far = depth.amax(dim=(2, 3), keepdim=True)
        near = depth.amin(dim=(2, 3), keepdim=True)
        span = far - near + 1
        level = (depth - near) * 16
        level = torch.div(level, span, rounding_mode="trunc")
        coarse = level[:, :, ::2, ::2]
        fine = F.interpolate(coarse, scale_factor=2, mode="bilinear", align_corners=False)
        change = fine - level
        count = (change != 0).sum()
        share = count / change.numel()
        error = change.abs().float().mean()
        return error, share


def get_inputs():
    return [torch.arange(64, dtype=torch.int64).reshape(1, 1, 8, 8) % 13, torch.ones(1, 1, 8, 8, dtype=torch.int64)]
