"""Other random numbers than eager's, each drawn as eager draws it; gradients belong to the mask of forward."""

import torch

OPTIONS = {"own_random": True, "train": True, "backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)
        self.norm = torch.nn.BatchNorm1d(16)
        self.dropout = torch.nn.Dropout(0.3)

    def forward(self, x):
        noise = torch.randn_like(x) * 0.1 + torch.rand(x.shape[-1], device=x.device)
        picked = torch.randint(0, 9, (33,), device=x.device), torch.bernoulli(torch.full_like(x, 0.2))
        return self.dropout(self.norm(torch.tanh(self.linear(x)))) + noise, *picked


def get_inputs():
    return [torch.randn(64, 16)]
