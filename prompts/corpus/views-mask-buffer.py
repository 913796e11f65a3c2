"""An attention mask made by writing zeros into a buffer of large negatives."""

import torch


class Model(torch.nn.Module):
    def forward(self, scores):
        n = scores.shape[-1]
        mask = torch.full((n, n), -1.0e4, device=scores.device)
        rows = torch.arange(n, device=scores.device)
        mask[rows[:, None], rows[None, :]] = 0.0
        return torch.softmax(scores + mask, dim=-1), torch.log_softmax(scores - mask, dim=-1)


def get_inputs():
    return [torch.randn(6, 6)]
