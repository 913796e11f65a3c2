"""Each parameter steps its own SGD in a hook after its gradient was accumulated: eager and compiled agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 4)
        self.second = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


def get_inputs():
    return [torch.linspace(-1, 1, 32).reshape(8, 4).sin()]


def get_state(model):
    optimizers = {p: torch.optim.SGD([p], 0.01, momentum=0.9) for p in model.parameters()}

    def update(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(update)
    return list(optimizers.values())


def step(model, inputs, state):
    loss = model(*inputs).pow(2).sum()
    loss.backward()
    return loss


OPTIONS = {"train": True, "calls": 3}
