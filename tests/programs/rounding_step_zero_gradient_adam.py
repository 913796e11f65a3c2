"""A bias before batch norm has a gradient of zero; Adam makes steps of full size of its rounding noise."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.bn = torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn(self.layer(x)).sigmoid()


def get_inputs():
    return [torch.linspace(-2, 2, 64).reshape(16, 4).sin()]


def get_state(model):
    return {"optimizer": torch.optim.Adam(model.parameters(), 0.1)}


def step(model, inputs, state):
    loss = model(*inputs).pow(2).sum()
    loss.backward()
    state["optimizer"].step()
    state["optimizer"].zero_grad()
    return loss


OPTIONS = {"train": True, "calls": 2}
