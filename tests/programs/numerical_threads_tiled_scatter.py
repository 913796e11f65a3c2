"""With one thread right. With several Inductor adds atomically, and where it works in tiles it takes each row of a tile
for the one at twice its distance: gradients and sums land in other rows."""

import torch

OPTIONS = {"threads": 2}


class Model(torch.nn.Module):
    def forward(self, x, y, index):
        rows = torch.arange(16)[:, None]
        return x.new_zeros(32, 64).index_put((rows, index), x.t() + y, accumulate=True)


def get_inputs():
    return [torch.randn(64, 16), torch.randn(16, 64), torch.randint(0, 64, (64,))]
