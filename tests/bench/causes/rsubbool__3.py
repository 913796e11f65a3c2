import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, length):
        steps = torch.arange(scores.shape[1])
        inside = steps[None, :] < length[:, None]
        outside = 1.0 - inside
        penalty = outside * 10000.0
        masked = scores - penalty
        peak = masked.amax(dim=1, keepdim=True)
        shifted = masked - peak
        weights = shifted.exp()
        total = weights.sum(dim=1, keepdim=True)
        probs = weights / total
        return probs * 2, peak.squeeze(1)


def get_inputs():
    return [torch.linspace(0, 1, 15).reshape(3, 5), torch.tensor([2, 5, 3])]
