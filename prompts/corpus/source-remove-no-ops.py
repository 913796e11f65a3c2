"""remove_no_ops: x + zeros_like(x) is replaced by the graph input itself, with only mutation inside this
graph checked, so the result aliases x (a later x.add_ after a graph break changes it) and keeps -0.0, where
eager returns a fresh tensor with +0.0."""

import torch
import torch._dynamo


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x + torch.zeros_like(x)
        torch._dynamo.graph_break()
        x.add_(1.0)
        return y, torch.copysign(torch.ones_like(y), y)


def get_inputs():
    return [torch.tensor([-0.0, 1.0, -2.0, 0.0, 5.0])]
