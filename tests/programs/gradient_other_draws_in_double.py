"""With a memory budget backward draws other normal numbers than forward did; in double others are drawn anyway."""

import torch

OPTIONS = {"train": True, "backward": True, "functorch_config": {"activation_memory_budget": 0.0}}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 16)

    def forward(self, x):
        y = torch.sin(self.inner(x))
        return (y * torch.randn_like(y)).cos()


def get_inputs():
    return [torch.randn(8, 16)]
