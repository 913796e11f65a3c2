"""Losses whose prediction and target differ in precision."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, guess, truth):
        smooth = F.smooth_l1_loss(guess, truth, beta=0.7)
        huber = F.huber_loss(guess, truth, delta=0.3, reduction="sum")
        squared = F.mse_loss(guess.float(), truth.float())
        return smooth, huber, squared


def get_inputs():
    return [torch.randn(12).half(), torch.randn(12).bfloat16()]
