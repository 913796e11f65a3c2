"""_block_diag_iterable: for a 2-D float16 (int32) tensor beside a 0-dim float32 (int64) tensor, every piece
becomes 2-D with its own dtype and cat promotes to float32 (int64), while eager takes
native::result_type(tensors), in which a 0-dim tensor of the same category does not promote, and returns
float16 (int32)."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, s, i, j):
        return torch.block_diag(x, s), torch.block_diag(i, j)


def get_inputs():
    return [
        torch.ones(2, 3, dtype=torch.float16),
        torch.tensor(2.5, dtype=torch.float32),
        torch.ones(2, 2, dtype=torch.int32),
        torch.tensor(7, dtype=torch.int64),
    ]


OPTIONS = {"fullgraph": True}
