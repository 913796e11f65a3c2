"""Gradients of each row by vmap of grad of functional_call, and a Jacobian in chunks: they agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        parameters = {name: value.detach() for name, value in self.linear.named_parameters()}

        def loss(parameters, row):
            return torch.func.functional_call(self.linear, parameters, (row,)).pow(2).sum()

        rows = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x)
        return rows, torch.func.jacrev(lambda row: row.sin() * row.sum(), chunk_size=3)(x[0])


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor", "fullgraph": True}
