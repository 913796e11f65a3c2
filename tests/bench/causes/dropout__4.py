import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, hidden, memory):
        mean = hidden.mean(dim=-1, keepdim=True)
        centred = hidden - mean
        power = centred.square().mean(dim=-1, keepdim=True)
        normed = centred * torch.rsqrt(power + 1e-5)
        slot = F.dropout(memory, p=0.2, training=False)
        slot.narrow(0, 0, 2).copy_(normed[:2])
        query = normed * 0.5
        scores = query @ memory.transpose(0, 1)
        weights = torch.softmax(scores, dim=-1)
        mixed = weights @ memory
        left, right = mixed.chunk(2, dim=-1)
        return left * torch.sigmoid(right)


def get_inputs():
    return [torch.linspace(-2, 3, 12).reshape(3, 4) ** 2, torch.arange(16.0).reshape(4, 4)]
