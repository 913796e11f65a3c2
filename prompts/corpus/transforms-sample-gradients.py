"""Gradients for each sample by functional_call, Jacobians, one of them forward, and a product with the Hessian."""

import torch
from torch.func import functional_call, grad, jacfwd, jacrev, vmap


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))

    def forward(self, x, target, direction):
        parameters = dict(self.net.named_parameters())

        def loss(parameters, row, wanted):
            return (functional_call(self.net, parameters, (row,)) - wanted).square().sum()

        each = vmap(grad(loss), in_dims=(None, 0, 1))(parameters, x, target)
        rows = vmap(jacrev(lambda row: self.net(row).cumsum(0)))(x)
        columns = vmap(jacfwd(lambda row: (row.sin() * row.sum()).cumsum(0)))(x)
        total = grad(lambda y: loss(parameters, y, target[:, 0]))
        product = grad(lambda y: (total(y) * direction[0]).sum())(x[0])
        return each["0.weight"].norm(dim=(1, 2)), each["2.bias"], rows, columns, product


def get_inputs():
    return [torch.randn(5, 4), torch.randn(3, 5), torch.randn(2, 4)]


OPTIONS = {"fullgraph": True, "grad": True}
