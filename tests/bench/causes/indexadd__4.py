import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, edges, weight, node):
        source = edges[0]
        target = edges[1] - 3
        strength = weight.abs() + 0.1
        strength = strength / strength.sum()
        message = node[:, None] * 0.5 + 1
        spread = message.expand(3, 2)
        scaled = spread * strength[:3, None]
        total = torch.zeros(4, 2, dtype=torch.float64)
        total = torch.ops.aten.index_add(total, 0, target, scaled)
        degree = torch.ones(4, dtype=torch.float64)
        average = total / degree[:, None]
        top = average.amax(dim=0)
        return average - top, source * 2


def get_inputs():
    return [
        torch.tensor([[0, 1, 2], [3, 2, 6]]),
        torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64),
        torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64),
    ]
