"""scatter_upon_const_tensor: torch.where of two Python floats gives float32 before .to(dtype), so a float64
constant tensor loses precision and range (1e300 becomes inf, 16777217.0 becomes 16777216.0), where eager's
scatter writes the value in float64."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, idx):
        a = torch.full((4, 8), 0.5, dtype=torch.float64, device=idx.device)
        b = torch.full((4, 8), 16777217.0, dtype=torch.float64, device=idx.device)
        return a.scatter(1, idx, 1e300), b.scatter(1, idx, 0.25) - 16777216.0


def get_inputs():
    return [torch.tensor([[1], [0], [7], [3]], dtype=torch.int64)]


OPTIONS = {"calls": 2, "dynamic": True, "threads": 8}
