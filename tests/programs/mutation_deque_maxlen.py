"""A full deque drops its last element on appendleft; compiled code forgets the limit."""

import collections

import torch


class Model(torch.nn.Module):
    def forward(self, queue, x):
        queue.appendleft(x + 1)
        return x * queue.pop()


def get_inputs():
    return [collections.deque([5, 4, 3], maxlen=3), torch.ones(2)]
