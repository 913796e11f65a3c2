"""A deque, a namespace and a dict that forward changes, an operator's named tuple, a string that chooses."""

import collections
import types

import torch


class Model(torch.nn.Module):
    def forward(self, recent, counts, how, index, sizes):
        order = torch.sort(recent[-1], dim=-1, descending=how == "down")
        recent.append(order.values[index] * counts.scale)
        counts.scale = counts.scale + sizes[1]
        counts.seen[how] = counts.seen.pop("start") + order.indices.sum()
        total = sum(value.sum() for value in recent)
        return order, total * sizes[0], {True: sizes[1:], "empty": ()}, recent[0].to(torch.float64)


def get_inputs():
    recent = collections.deque([torch.ones(2, 2), torch.randn(3, 4)], maxlen=2)
    counts = types.SimpleNamespace(scale=1.5, seen={"start": torch.zeros(())})
    return [recent, counts, "down", (slice(0, 2), Ellipsis), torch.Size([3, 4])]
