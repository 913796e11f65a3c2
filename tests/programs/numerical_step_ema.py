"""A buffer holds a moving average that forward writes in place before batch norm reads it: the compiled step's input
gradient is wrong."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(4)
        self.register_buffer("ema", torch.ones(8, 4))

    def forward(self, x):
        with torch.no_grad():
            self.ema.mul_(0.5).add_(x.detach(), alpha=0.5)
        return self.bn((x * self.ema).sin())


def get_inputs():
    return [torch.linspace(-2, 2, 32).reshape(8, 4).cos().requires_grad_()]


def get_state(model):
    return {"optimizer": torch.optim.SGD(model.parameters(), 0.1)}


def step(model, inputs, state):
    loss = model(*inputs).pow(3).sum()
    loss.backward()
    state["optimizer"].step()
    state["optimizer"].zero_grad()
    return loss


OPTIONS = {"train": True, "calls": 2}
