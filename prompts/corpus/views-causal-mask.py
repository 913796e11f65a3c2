"""A mask of large negatives with all its places cleared, added before a softmax."""

import torch


class Model(torch.nn.Module):
    def forward(self, scores):
        size = scores.shape[-1]
        mask = torch.full((size, size), -1.0e4, device=scores.device)
        place = torch.arange(size, device=scores.device)
        mask[place[:, None], place[None, :]] = 0
        return torch.softmax(scores * 0.5 + mask, dim=-1)


def get_inputs():
    return [torch.randn(10, 10)]
