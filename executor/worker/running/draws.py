"""What must hold for a program that draws the compiler's own random numbers, which differ from eager's: the same seed
gives the same values again, two successive draws differ, each output has eager's distribution over many seeds, and
gradients belong to the values that the same seed gave.

Each condition is a number that eager has, too. A compiled run that passes records eager's number, so any difference is
a failure.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import backward
import leaves
import torch
from program import Arguments, seed_everything

SEEDS = 32
FIRST_SEED = 1000  # beyond the program's own
FEW = 3  # seeds, for checks that one would suffice for
PAIRS, MOST_ALIKE = 16, 4  # if a quarter are equal by chance, 16 of 16 are so once in 10^9
MOST_Z = 5.5  # of a rank test: one false alarm in 10^7 statistics. All of 32 above all of 32 others is 6.9.
LEAST_EFFECT = 1e-3  # of the values themselves; rounding alone may move a mean by less
LEAST_MISMATCH = 0.05  # of a derivative. If eager's own is not within MOST_MISMATCH, nothing can be concluded.
MOST_MISMATCH = 1e-3
STEP = 1e-6

Drawn = dict[str, torch.Tensor]  # by path


@dataclass
class Rerun:
    """A model with what is needed to run it again from the same start."""

    model: torch.nn.Module
    inputs: Callable[[], list[Arguments]]  # new ones for all calls
    call: Callable[[Callable[..., Any], list[Arguments]], Any]  # returns the result of the last call
    differentiates: bool
    autograd: Callable[[], contextlib.AbstractContextManager]  # around the backward pass

    def __post_init__(self) -> None:
        held = [*self.model.parameters(), *self.model.buffers()]
        self._start = [(tensor, tensor.detach().clone()) for tensor in held]

    def draw(self, function: Callable[..., Any], seed: int) -> Drawn:
        return self._drawn(function, self._prepared(), seed)

    def draw_twice(self, function: Callable[..., Any], seed: int) -> tuple[Drawn, Drawn]:
        """The second draw does not set a seed of its own."""
        first, second = self._prepared(), self.inputs()
        found = self._drawn(function, first, seed)
        self._restore()
        return found, self._drawn(function, second, None)

    def slope(self, function: Callable[..., Any], seed: int, step: float) -> tuple[float, float]:
        """The weighted sum of all outputs, with inputs and parameters moved by `step` along a fixed direction, and its
        derivative in that direction according to the backward pass."""
        calls = self._prepared()
        direction = torch.Generator().manual_seed(seed)
        moved = [tensor for tensor in self._differentiable(calls[-1]) if tensor.is_leaf]
        along = [backward.weights_like(tensor, direction) for tensor in moved]
        with torch.no_grad():
            for tensor, way in zip(moved, along, strict=True):
                tensor.add_(way, alpha=step)
        seed_everything(seed)
        weighted = backward.weighted(self.call(function, calls))
        total = sum((weight * tensor).sum() for tensor, weight in weighted)
        gradients = torch.autograd.grad(total, moved, allow_unused=True)
        slope = sum((g * way).sum() for g, way in zip(gradients, along, strict=True) if g is not None)
        return float(total.detach()), float(slope)

    def _differentiable(self, arguments: Arguments) -> list[torch.Tensor]:
        found = [*leaves.tensors_in([arguments.positional, arguments.named], "input"), *self.model.named_parameters()]
        return [tensor for _, tensor in found if tensor.requires_grad and tensor.is_floating_point()]

    def _prepared(self) -> list[Arguments]:
        self._restore()
        return self.inputs()

    def _restore(self) -> None:
        self.model.zero_grad(set_to_none=True)
        with torch.no_grad():
            for tensor, value in self._start:
                tensor.copy_(value)

    def _drawn(self, function: Callable[..., Any], calls: list[Arguments], seed: int | None) -> Drawn:
        if seed is not None:
            seed_everything(seed)
        outputs = self.call(function, calls)
        found = list(leaves.tensors_in(outputs, "output"))
        found += [(f"buffer.{name}", buffer) for name, buffer in self.model.named_buffers()]
        if self.differentiates:
            with self.autograd():
                gradients = backward.run(self.model, outputs, calls[-1])
            found += [(f"gradient.{name}", gradient) for name, gradient in gradients]
        return {path: tensor.detach().clone() for path, tensor in found if type(tensor) is torch.Tensor}


def statistics(tensor: torch.Tensor) -> dict[str, float]:
    """Statistics of one draw. Real and imaginary parts count as elements."""
    flat = (torch.view_as_real(tensor) if tensor.is_complex() else tensor).reshape(-1).double()
    if flat.numel() == 0:
        return {"elements": 0.0}
    found = {
        "mean": flat.mean(),
        "std": flat.std(correction=0),
        "min": flat.min(),
        "max": flat.max(),
        "neighbours": (flat[1:] * flat[:-1]).mean() if flat.numel() > 1 else flat[0],
    }
    return {name: float(value) for name, value in found.items()}


def rank_distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """z of a Mann-Whitney test between two samples of equal size, corrected for ties: how certain it is that one of
    them tends to be larger, whatever their distribution."""
    size = len(one)
    both = torch.cat([one, other])
    ordered = both.sort().values
    first, last = torch.searchsorted(ordered, both), torch.searchsorted(ordered, both, right=True)
    excess = float((first + last + 1).double()[:size].sum()) / 2 - size * (2 * size + 1) / 2
    ties = float(((last - first).double() ** 2 - 1).sum())
    variance = size * size / 12 * (2 * size + 1 - ties / (2 * size * (2 * size - 1)))
    return abs(excess) / max(variance, 1e-9) ** 0.5


def differ(name: str, one: torch.Tensor, other: torch.Tensor, scale: float, epsilon: float) -> bool:
    """Whether two samples of a statistic come from different distributions, by more than rounding explains. A minimum
    or maximum counts only if the other sample goes beyond it: one that draws in finer steps seldom reaches the ends."""
    if bool(one.isnan().any()) or bool(other.isnan().any()):
        return bool(one.isnan().all()) != bool(other.isnan().all())
    effect = float(other.mean() - one.mean())
    effect = {"min": -effect, "max": effect}.get(name, abs(effect))
    return effect > max(LEAST_EFFECT, epsilon / 4) * scale and rank_distance(one, other) > MOST_Z


class Draws:
    """Draws of eager and of one compiled function of the same model."""

    def __init__(self, rerun: Rerun, seed: int) -> None:
        self._rerun = rerun
        self._seeds = [seed + FIRST_SEED + number for number in range(2 * SEEDS)]

    def of(self, function: Callable[..., Any], compiled: bool) -> list[tuple[str, list[leaves.Leaf]]]:
        """Leaves by group, as LeftBehind returns them. If it is not compiled, `function` is the model itself."""
        model = self._rerun.model
        eager = self._samples(model, self._seeds[:SEEDS])
        again = self._samples(model, self._seeds[SEEDS:]) if compiled else eager
        found = self._samples_of(function) if compiled else eager
        if found is None:
            function, found = model, eager
        groups = []
        for path, first in eager[0].items():
            group = path.split(".")[0].split("[")[0]
            tensors = [[drawn[path] for drawn in sample if path in drawn] for sample in (eager, again, found)]
            shapes = {tensor.shape for sample in tensors[:2] for tensor in sample}
            flat = []
            if len(shapes) == 1:  # what does not depend on the values drawn
                flat.append(_constant(path, found[0].get(path, first)))
            if all(len(sample) == SEEDS for sample in tensors):
                flat += self._statistics(path, *tensors)
            groups.append((group, flat))
        return [*groups, ("output", self._repeats(list(eager[0]), function, compiled))]

    def _samples_of(self, compiled: Callable[..., Any]) -> list[Drawn] | None:
        """None if some runs raise and some do not: the values drawn decide that, and eager might draw them another
        time."""
        found: list[Drawn] = []
        raised: list[Exception] = []
        for seed in self._seeds[:SEEDS]:
            try:
                found.append(self._rerun.draw(compiled, seed))
            except Exception as error:
                raised.append(error)
            if len(raised) == FEW:
                raise raised[0]
            if raised and found:
                return None
        return found

    def _samples(self, function: Callable[..., Any], seeds: list[int]) -> list[Drawn]:
        return [self._rerun.draw(function, seed) for seed in seeds]

    def _statistics(
        self, path: str, eager: list[torch.Tensor], again: list[torch.Tensor], found: list[torch.Tensor]
    ) -> list[leaves.Leaf]:
        rows = [[statistics(tensor) for tensor in sample] for sample in (eager, again, found)]
        names = [name for name in rows[0][0] if all(name in row for sample in rows for row in sample)]
        epsilon = torch.finfo(eager[0].dtype).eps if eager[0].is_floating_point() else 0.0
        flat = []
        for name in names:
            mine, other, theirs = (torch.tensor([row[name] for row in sample]).double() for sample in rows)
            typical = max(abs(float(mine.mean())), sum(row.get("std", 0.0) for row in rows[0]) / SEEDS)
            failed = differ(name, mine, theirs, typical, epsilon) and not differ(name, mine, other, typical, epsilon)
            flat.append(number(f"drawn.{path}.{name}", float((theirs if failed else mine).mean())))
        return flat

    def _repeats(self, paths: list[str], function: Callable[..., Any], compiled: bool) -> list[leaves.Leaf]:
        """`repeat`: the fraction of elements that change although the seed is the same. `alike`: 1 if two successive
        draws never differ. Both are 0 unless eager does better."""
        other = self._changing(function) if compiled else {}
        alike = self._never_differ(function) if compiled else set()
        return [
            leaf
            for path in paths
            for leaf in (
                number(f"drawn.{path}.repeat", other.get(path, 0.0)),
                number(f"drawn.{path}.alike", float(path in alike)),
            )
        ]

    def _changing(self, function: Callable[..., Any]) -> dict[str, float]:
        def parts(of: Callable[..., Any]) -> dict[str, float]:
            first, second = (self._rerun.draw(of, self._seeds[0]) for _ in range(2))
            return {path: 1.0 - _alike(tensor, second.get(path)) for path, tensor in first.items()}

        theirs = {path: part for path, part in parts(function).items() if part > 0}
        mine = parts(self._rerun.model) if theirs else {}
        return {path: part for path, part in theirs.items() if mine.get(path) == 0}

    def _never_differ(self, function: Callable[..., Any]) -> set[str]:
        """Few values of few elements are equal by chance, so eager's must seldom be equal."""
        left: set[str] | None = None
        for seed in self._seeds[:PAIRS]:
            found = self._alike_in(function, seed)
            left = found if left is None else left & found
            if not left:
                return set()
        mine = [self._alike_in(self._rerun.model, seed) for seed in self._seeds[:PAIRS]]
        return {path for path in left or () if sum(path in each for each in mine) <= MOST_ALIKE}

    def _alike_in(self, function: Callable[..., Any], seed: int) -> set[str]:
        first, second = self._rerun.draw_twice(function, seed)
        return {path for path, tensor in first.items() if tensor.numel() and _alike(tensor, second.get(path)) == 1}


def derivative(rerun: Rerun, function: Callable[..., Any], seed: int) -> float:
    """By how much, relative to its size, the backward pass misses the slope of forward at the same seed; 0 if it does
    not. `rerun` computes in double."""
    seeds = [seed + FIRST_SEED + number for number in range(FEW)]
    if max(_mismatch(rerun, rerun.model, each) for each in seeds) > MOST_MISMATCH:
        return 0.0  # not differentiable
    missed = min(_mismatch(rerun, function, each) for each in seeds)
    return missed if missed > LEAST_MISMATCH else 0.0


def _mismatch(rerun: Rerun, function: Callable[..., Any], seed: int) -> float:
    _, slope = rerun.slope(function, seed, 0.0)
    above, _ = rerun.slope(function, seed, STEP)
    below, _ = rerun.slope(function, seed, -STEP)
    measured = (above - below) / (2 * STEP)
    return abs(measured - slope) / max(abs(measured), abs(slope), 1e-6)


def _alike(one: torch.Tensor, other: torch.Tensor | None) -> float:
    if other is None or one.shape != other.shape:
        return 0.0
    same = (one == other) | ((one != one) & (other != other))
    return float(same.double().mean()) if one.numel() else 0.0


def _constant(path: str, tensor: torch.Tensor) -> leaves.Leaf:
    """The tensor's dtype, shape and strides, without its values."""
    return leaves.Leaf(path, "Tensor", torch.zeros_like(tensor), "")


def number(path: str, value: float) -> leaves.Leaf:
    return leaves.Leaf(path, "float", torch.tensor(value, dtype=torch.float32, device="cpu"), "", made=True)
