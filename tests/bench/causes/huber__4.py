import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, track, sensor):
        speed = track[:, 1:] - track[:, :-1]
        seen = sensor[:, 1:] - sensor[:, :-1]
        speed = speed.clamp(-4, 4)
        seen = seen.clamp(-4, 4)
        weight = torch.full_like(speed, 0.5)
        rough = speed * weight
        smooth = rough.half()
        target = (seen * 0.5).bfloat16()
        error = torch.ops.aten.huber_loss(smooth, target, 2, 2.0)
        level = rough.abs().amax()
        return error, level


def get_inputs():
    return [torch.linspace(0, 6, 12).reshape(2, 6), torch.linspace(3, -1, 12).reshape(2, 6)]
