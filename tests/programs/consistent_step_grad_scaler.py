"""A GradScaler meets infinite gradients, skips those steps and halves its scale: eager and compiled agree."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def get_inputs():
    return [torch.linspace(-1, 1, 32).reshape(8, 4).sin()]


def get_state(model):
    return {
        "optimizer": torch.optim.SGD(model.parameters(), 0.1, momentum=0.9),
        "scaler": torch.amp.GradScaler("cpu", init_scale=3e38, growth_interval=1),
    }


def step(model, inputs, state):
    scaler = state["scaler"]
    loss = model(*inputs).pow(2).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(state["optimizer"])
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    scaler.step(state["optimizer"])
    scaler.update()
    state["optimizer"].zero_grad()
    return loss, norm, scaler.get_scale()


OPTIONS = {"train": True, "calls": 4}
