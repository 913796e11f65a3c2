"""Rows quantised, multiplied as int8 and scaled back by row and column: the frozen graph packs the weight for oneDNN
and agrees."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 127, (64, 32), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(32) / 100)
        self.register_buffer("shift", torch.rand(32))

    def forward(self, x):
        step = x.abs().amax(-1, keepdim=True) / 127
        q = (x / step).round().clamp(-128, 127).to(torch.int8)
        return torch._int_mm(q, self.weight).to(torch.float32) * step * self.scale + self.shift


def get_inputs():
    return [torch.randn(8, 64)]


OPTIONS = {"mode": "inductor_freezing"}
