"""A parameter is a tensor subclass with a shell, stepped by SGD: eager and compiled agree."""

import torch
from torch.testing._internal.two_tensor import TwoTensor


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(TwoTensor(torch.ones(2, 2), torch.ones(2, 2) * 3))

    def forward(self, x):
        return (x @ self.weight).sin()


def get_inputs():
    return [torch.ones(2, 2)]


def get_state(model):
    return torch.optim.SGD(model.parameters(), 0.1)


def step(model, inputs, state):
    loss = model(*inputs).sum()
    loss.backward()
    state.step()
    state.zero_grad()
    return loss


OPTIONS = {"train": True, "calls": 2}
