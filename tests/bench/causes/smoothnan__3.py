import torch
import torch.nn as nn

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.nn.functional.smooth_l1_loss(a[None], b[:, None].expand(3, 4), beta=2.0)


def get_inputs():
    return [torch.tensor([0.0, 1.0, 5.0, -7.0]), torch.tensor([1.0, float("nan"), 0.0])]
