"""Frozen and mutable dataclasses, defaultdict, OrderedDict and keyword arguments, written and returned: eager and
compiled agree."""

import collections
import dataclasses

import torch


@dataclasses.dataclass
class Item:
    x: torch.Tensor
    n: int = 2
    log: list = dataclasses.field(default_factory=list)
    y: torch.Tensor = dataclasses.field(init=False, default=None)

    def __post_init__(self):
        self.y = self.x * self.n


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: torch.Tensor
    name: str = "k"


class Model(torch.nn.Module):
    def forward(self, *, item, frozen, lists, ordered, **rest):
        item.log.append(item.x.sum())
        item.n += 1
        lists["new"].append(item.x)
        ordered["a"] = ordered.pop("a") + 1
        rest["more"] = None
        return (
            dataclasses.replace(item, n=7),
            dataclasses.replace(frozen, x=frozen.x * 2),
            lists["none"],
            rest,
            list(ordered),
        )


def get_inputs():
    return {
        "item": Item(torch.ones(2)),
        "frozen": Frozen(torch.ones(2)),
        "lists": collections.defaultdict(list, {"old": [1]}),
        "ordered": collections.OrderedDict(a=torch.ones(2), b=None),
        "zeta": (None, [None, {1: None}]),
    }
