import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, logits, labels):
        scaled = logits - 0.25
        return torch.nn.functional.huber_loss(scaled, labels), scaled


def get_inputs():
    return [torch.linspace(-1, 1, 8).reshape(2, 4).half(), torch.ones(2, 4).bfloat16()]
