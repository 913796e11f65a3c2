"""logit with eps in bfloat16: 1 - eps rounds to 1 in eager and so gives inf; the decomposition computes in float32."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.logit(x, 1e-3)


def get_inputs():
    return [torch.tensor([0.5, 2.0, 0.25], dtype=torch.bfloat16)]


OPTIONS = {"mode": "exported_decomposed"}
