"""Casts to float8 at and beyond the greatest numbers, halves between two of them, infinities: each is what eager
gives."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return [(x * 1.0).to(kind).float() for kind in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz)]


def get_inputs():
    return [
        torch.tensor(
            [
                0.0,
                -0.0,
                17.0,
                19.0,
                448.0,
                464.0,
                465.0,
                57344.0,
                61440.0,
                1e6,
                -1e6,
                float("inf"),
                float("nan"),
                1e-3,
                7.6e-6,
            ]
        )
    ]
