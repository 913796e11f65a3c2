"""Index arithmetic on sizes, grids and wrapped positions."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        n, m = x.shape
        rows = torch.arange(n, device=x.device)
        turned = x[(rows * 5 + 2) % n]
        lower = x.tril(n - m) + x.triu(m // 2)
        return turned, lower, x.roll(n // 2, 0)[::2], torch.full_like(x, n / m), x.reshape(-1)[: n * (m // 2)]


def get_inputs(scale: int = 1):
    return [torch.randn(4 + scale, 6 * scale)]


OPTIONS = {"dynamic": True, "calls": 2}
