"""Slices, a reshape that is a view and one that is a copy are written, of an unknown number of rows. Each write
reaches the input exactly where eager's does; rolled, flipped and padded rows are eager's too."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        flat = x[:, ::2].reshape(-1)
        flat.mul_(2)
        copy = x.t().reshape(-1)
        copy.zero_()
        x[-1] += 3
        x[: x.size(0) // 2].add_(1)
        return (
            flat,
            copy,
            x.roll(1, 0),
            x.flip(0),
            torch.nn.functional.pad(x, (0, 0, 1, 2)),
            x[torch.arange(x.size(0) - 1, -1, -1)],
            x[-10:],
        )


def get_inputs():
    return [torch.randn(6, 8)]


OPTIONS = {"mode": "inductor", "mark_unbacked": [[0, 0]]}
