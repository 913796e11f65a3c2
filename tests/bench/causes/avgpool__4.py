import torch
import torch.nn as nn
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(11)
        self.mix = nn.Conv2d(2, 3, 1)

    def forward(self, frames):
        mean = frames.mean(dim=(2, 3), keepdim=True)
        centred = frames - mean
        left = centred[..., ::2]
        right = centred[..., 1::2]
        edges = (left - right).abs()
        lifted = self.mix(edges)
        active = F.softplus(lifted)
        pooled = torch.ops.aten.avg_pool2d(active, [4, 3], [3, 2], [1, 1], True)
        gate = torch.sigmoid(pooled)
        gated = pooled * gate
        rows = gated.sum(dim=-1)
        return rows.flatten(1).tanh()


def get_inputs():
    return [torch.arange(2 * 2 * 7 * 12, dtype=torch.float32).reshape(2, 2, 7, 12).mul(0.7).sin()]
