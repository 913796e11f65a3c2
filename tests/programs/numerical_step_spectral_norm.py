"""Spectral normalisation writes its vectors in place while training: the compiled step's weight gradient is wrong."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.utils.spectral_norm(torch.nn.Linear(4, 4))

    def forward(self, x):
        return self.layer(x)


def get_inputs():
    return [torch.linspace(-1, 1, 32).reshape(8, 4).sin()]


def get_state(model):
    return torch.optim.SGD(model.parameters(), 0.01)


def step(model, inputs, state):
    state.zero_grad()
    loss = model(*inputs).pow(2).sum()
    loss.backward()
    state.step()
    return loss


OPTIONS = {"train": True, "calls": 2}
