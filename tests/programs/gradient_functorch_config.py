"""A memory budget of nothing: backward computes the forward again and draws another mask for dropout."""

import torch
import torch._functorch.config

torch._functorch.config.activation_memory_budget = 0.0


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 16)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(torch.sin(self.inner(x))).cos()


def get_inputs():
    return [torch.randn(8, 16)]


OPTIONS = {"train": True, "backward": True}
