"""A reduction: a smaller program that may still show what the whole program shows."""

from __future__ import annotations

from typing import NamedTuple

from inputs import inputs_of, with_elements
from source import Change, Source

NESTED = "nested"  # at most one, each contains the next: bisection finds the largest that holds
CHOOSE = "choose"  # at most one, tried in this order
SUBSET = "subset"  # any number together


class Reduction(NamedTuple):
    family: str
    style: str
    key: str  # unique in its family
    description: str
    changes: list[Change]
    inputs: dict[str, str] = {}  # names that become inputs, with the expressions that make them

    @property
    def identifier(self) -> str:
        return f"{self.family}:{self.key}"


def applied(code: Source, wanted: list[Reduction]) -> Source:
    """Apply all of them; of two that touch the same text the first wins."""
    groups = [reduction.changes for reduction in wanted]
    fresh: dict[str, str] = {}
    for reduction in wanted:
        fresh |= reduction.inputs
    inputs = inputs_of(code)
    if fresh and inputs is not None:
        groups.append(with_elements(code, inputs, inputs.elements | fresh))
    return code.changed_together(groups)
