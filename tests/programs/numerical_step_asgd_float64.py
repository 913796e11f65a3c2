"""With float64 as the default type ASGD's counters and decaying rate stay as they were in a compiled step."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x).pow(2).sum()


def get_inputs():
    return [torch.ones(3, 2)]


def get_state(model):
    return torch.optim.ASGD(model.parameters(), 0.1, lambd=0.5, t0=1)


def step(model, inputs, state):
    loss = model(*inputs)
    loss.backward()
    state.step()
    state.zero_grad()
    return loss


OPTIONS = {"train": True, "calls": 3, "default_dtype": "float64"}
