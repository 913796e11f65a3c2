"""An eager run that chooses unspecified signs: those of zeros and of NaNs that an operator reads. A first run without
choices finds the operators whose results such a sign changes by more than the sign of a zero or a NaN (signbit,
copysign, atan2, a division, a view as integers). Each way to choose at one of them, or at all, is a choice."""

import time
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_unflatten

ZERO, NAN = "zero", "nan"
_SECONDS = 4.0
_MOST_CALLS = 12  # calls that distinguish signs; those after them keep the signs they have
_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
POSITIVE, NEGATIVE, OTHER = "positive", "negative", "other"
_ALL = -1  # every operand


class Choice(NamedTuple):
    kind: str  # ZERO or NAN
    sign: str
    operand: int  # its place among the operands, or _ALL
    call: int = -1  # which operator call; -1: all that distinguish signs


class Signs(TorchDispatchMode):
    """Without a choice it looks, and `choices` holds what there is to choose."""

    def __init__(self, choice: Choice | None = None, telling: frozenset[int] = frozenset()) -> None:
        super().__init__()
        self.telling: set[int] = set(telling)
        self.choices: list[Choice] = []
        self._choice = choice
        self._calls = -1
        self._spent = 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if not _reads_values(func):
            return func(*args, **kwargs)
        self._calls += 1
        if self._choice is None:
            if len(self.telling) < _MOST_CALLS and self._spent < _SECONDS:
                started = time.perf_counter()
                self._look(func, args, kwargs)
                self._spent += time.perf_counter() - started
        elif self._calls in self.telling and self._choice.call in (-1, self._calls):
            args, kwargs = _chosen(func, args, kwargs, self._choice)
        return func(*args, **kwargs)

    def _look(self, func: Any, args: tuple, kwargs: dict) -> None:
        operands = tree_flatten((args, kwargs))[0]
        for kind in (ZERO, NAN):
            places = [place for place, operand in enumerate(operands) if _has(operand, kind)]
            if not places or not self._tells(func, args, kwargs, kind, (_ALL,)):
                continue
            self.telling.add(self._calls)
            alone = (_ALL, *places) if len(places) > 1 else (_ALL,)
            self.choices += self._tells(func, args, kwargs, kind, alone)

    def _tells(self, func: Any, args: tuple, kwargs: dict, kind: str, operands: tuple[int, ...]) -> list[Choice]:
        """The choices that change the operator's result, one per distinct result."""
        telling = []
        try:
            seen = [_run_apart(func, args, kwargs)]
            for operand in operands:
                for sign in (OTHER, POSITIVE, NEGATIVE):
                    choice = Choice(kind, sign, operand, self._calls)
                    result = _run_apart(func, *_chosen(func, args, kwargs, choice))
                    if all(_differ(result, known) for known in seen):
                        seen.append(result)
                        telling.append(choice)
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            return []  # what a test of ours raises is not the program's error
        return telling


def _reads_values(func: Any) -> bool:
    if func._schema.name == "aten::view" and func._overloadname == "dtype":
        return True
    view = any(returned.alias_info and not returned.alias_info.is_write for returned in func._schema.returns)
    return not view and torch.Tag.nondeterministic_seeded not in func.tags


def _written(func: Any, args: tuple, kwargs: dict) -> list[Any]:
    """The operands that the operator writes."""
    found = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found += tree_flatten(args[position] if position < len(args) else kwargs.get(argument.name))[0]
    return found


def _has(operand: Any, kind: str) -> bool:
    if isinstance(operand, float):
        return operand == 0 if kind == ZERO else operand != operand
    if not isinstance(operand, torch.Tensor) or not (operand.is_floating_point() or operand.is_complex()):
        return False
    if operand.layout != torch.strided or operand.is_meta or operand.element_size() < 2 or operand.numel() == 0:
        return False
    return bool((operand == 0).any() if kind == ZERO else operand.isnan().any()) or (
        operand.is_complex() and _has(torch.view_as_real(_plain(operand)), kind)
    )


def _chosen(func: Any, args: tuple, kwargs: dict, choice: Choice) -> tuple[tuple, dict]:
    operands, shape = tree_flatten((args, kwargs))
    kept = _written(func, args, kwargs)
    for place, operand in enumerate(operands):
        written = any(operand is other for other in kept)
        if not written and choice.operand in (_ALL, place) and _has(operand, choice.kind):
            operands[place] = _signed(operand, choice)
    return tree_unflatten(operands, shape)


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().resolve_conj().resolve_neg()


def _signed(operand: Any, choice: Choice) -> Any:
    """A copy in which the zeros, or the NaNs, have the chosen sign."""
    if isinstance(operand, float):
        return _signed(torch.tensor(operand, dtype=torch.float64), choice).item()
    if operand.is_complex():
        return torch.view_as_complex(_signed(torch.view_as_real(_plain(operand).clone()), choice))
    plain = _plain(operand)
    concerned = plain == 0 if choice.kind == ZERO else plain.isnan()
    integers = _BITS[plain.element_size()]
    sign = torch.iinfo(integers).min
    bits = plain.clone().view(integers)
    signed = {OTHER: bits ^ sign, POSITIVE: bits & ~sign, NEGATIVE: bits | sign}[choice.sign]
    return torch.where(concerned, signed, bits).view(plain.dtype)


def _run_apart(func: Any, args: tuple, kwargs: dict) -> list[Any]:
    """The operator's result, computed without writing to anything of the program's."""
    written = _written(func, args, kwargs)
    operands, shape = tree_flatten((args, kwargs))
    own = [
        operand.clone() if isinstance(operand, torch.Tensor) and any(operand is other for other in written) else operand
        for operand in operands
    ]
    args, kwargs = tree_unflatten(own, shape)
    return tree_flatten(func(*args, **kwargs))[0]


def _differ(one: list[Any], other: list[Any]) -> bool:
    """Whether two results differ by more than the signs of zeros and NaNs. The sign of a Python number always counts,
    because Python may do anything with it."""
    return any(_differs(a, b) for a, b in zip(one, other, strict=True))


def _differs(one: Any, other: Any) -> bool:
    if not isinstance(one, torch.Tensor):
        return repr(one) != repr(other) or _sign_of(one) != _sign_of(other)
    if one.shape != other.shape:
        return True
    return bool(((one != other) & ~((one != one) & (other != other))).any())


def _sign_of(number: Any) -> bool:
    return isinstance(number, float) and bool(torch.tensor(number, dtype=torch.float64).signbit())
