"""A custom operator that takes an empty list: AOTInductor's call passes None in its place."""

import torch


@torch.library.custom_op("export_labelled::plus_all", mutates_args=())
def plus_all(x: torch.Tensor, numbers: list[int]) -> torch.Tensor:
    return x + sum(numbers)


@plus_all.register_fake
def _(x, numbers):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def forward(self, x):
        return plus_all(x, [])


def get_inputs():
    return [torch.tensor([1.0, 2.0, 3.0])]


OPTIONS = {"mode": "aot_inductor"}
