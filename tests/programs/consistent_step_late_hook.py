"""A hook that is added after compilation is not noticed: documented, skip_nnmodule_hook_guards."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


def double(module, inputs, output):
    return output * 2


def get_inputs():
    return [torch.ones(2, 3)]


def step(model, inputs, state):
    loss = model(*inputs).sum()
    loss.backward()
    model.layer.register_forward_hook(double)
    return loss


OPTIONS = {"train": True, "calls": 3}
