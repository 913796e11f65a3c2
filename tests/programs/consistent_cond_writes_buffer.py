"""A branch of torch.cond writes a buffer in place, taken in every other call: eager and compiled agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x, flag):
        def count(x):
            self.seen.add_(1)
            return x + self.seen

        return torch.cond(flag, count, lambda x: x - 1, (x,))


def get_inputs(scale=1):
    return [torch.ones(3), torch.tensor(scale != 2)]


OPTIONS = {"calls": 3}
