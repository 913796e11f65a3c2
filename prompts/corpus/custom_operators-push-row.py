"""An operator that writes into one argument and returns a count, between two reads of what it writes."""

import torch


@torch.library.custom_op("corner::push_row", mutates_args={"ring"})
def push_row(ring: torch.Tensor, row: torch.Tensor, at: int) -> torch.Tensor:
    ring[at % ring.shape[0]].copy_(row)
    return (ring != 0).sum(1)


@push_row.register_fake
def _(ring, row, at):
    return ring.new_empty(ring.shape[0], dtype=torch.int64)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ring", torch.zeros(3, 4))

    def forward(self, x):
        before = self.ring * 2
        first = push_row(self.ring, x[0].sin(), 1)
        between = self.ring.t() @ x
        second = push_row(self.ring[1:], x[1] + between[0], 1)
        return before, between, self.ring.sum(0) * 1, first, second


def get_inputs():
    return [torch.randn(3, 4)]


OPTIONS = {"calls": 2}
