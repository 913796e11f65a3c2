"""Keyword arguments in dataclasses, registered and not; dicts with odd keys, sizes and strings come back."""

import dataclasses
from typing import NamedTuple

import torch


@dataclasses.dataclass
class Batch:
    values: torch.Tensor
    lengths: tuple
    name: str = "plain"


torch.utils._pytree.register_dataclass(Batch, field_names=["values", "lengths"], drop_field_names=["name"])


@dataclasses.dataclass(frozen=True)
class Scales:
    first: torch.Tensor
    second: float


class Result(NamedTuple):
    total: torch.Tensor
    size: torch.Size
    parts: dict


class Model(torch.nn.Module):
    def forward(self, batch, *, table, scales, bias=None):
        rows = batch.values * scales.first + (scales.second if bias is None else bias)
        parts = {key: rows[:n] + value for (key, value), n in zip(table.items(), batch.lengths, strict=True)}
        parts[None] = None
        again = dataclasses.replace(batch, values=rows.t(), lengths=batch.lengths[::-1])
        return Result(rows.sum(0), rows.size() + rows.t().size(), parts), again, [batch.name, scales, rows, rows]


def get_inputs():
    return {
        "batch": Batch(torch.randn(4, 3), (1, 3)),
        "table": {(2, "b"): torch.ones(3), 0: torch.arange(3)},
        "scales": Scales(torch.rand(3), 0.5),
    }
