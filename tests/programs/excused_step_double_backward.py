"""A gradient penalty needs a second derivative of compiled code, which torch.compile refuses in words."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x):
        return torch.tanh(self.layer(x))


def get_inputs():
    return [torch.ones(8, 4, requires_grad=True)]


def step(model, inputs, state):
    y = model(*inputs).sum()
    (grad,) = torch.autograd.grad(y, inputs[0], create_graph=True)
    loss = (grad.norm(dim=1) - 1).pow(2).mean()
    loss.backward()
    return loss.detach()


OPTIONS = {"train": True}
