"""The mode `eager_noise`: what rounding may do to a program's results. Eager runs several times; in each run every
floating result that had to be rounded is moved at random by a few units in the last place. Exact results and the inputs
stay unchanged: a comparison of exact values is not a matter of rounding.

Each element keeps the value, of all draws, that is farthest from the plain run, so that the record says how far
rounding alone can move it. A draw that ends differently (it raises although the plain run does not, or returns another
shape) counts for all."""

import contextlib
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

DRAWS = 18
SECONDS = 6.0
_REACH = (1.0, 4.0, 16.0)  # units in the last place, used in turn
_LEANINGS = (0, 1, -1)  # either way, all up, all down: if all elements must agree, chance alone never gets there
_WIDE = {torch.complex64: torch.complex128, torch.complex32: torch.complex128}
_SUMS = ("mm", "bmm", "addmm", "addmv", "mv", "dot", "vdot", "baddbmm", "convolution", "linear")
_EXACT = ("abs", "neg", "relu", "clamp", "maximum", "minimum", "amax", "amin", "max", "min", "where", "gather", "sort")
_MOVES = ("cat", "stack", "index", "select", "flip", "roll", "clone", "copy", "_to_copy", "constant_pad_nd", "sign")
_WHOLE = ("floor", "ceil", "round", "trunc", "topk", "scatter", "masked_fill", "fill", "slice", "repeat", "one_hot")


class Noise(TorchDispatchMode):
    def __init__(self, reach: float, leaning: int, seed: int) -> None:
        super().__init__()
        self._reach = reach
        self._leaning = leaning
        self._generators: dict[str, torch.Generator] = {}
        self._seed = seed
        self._rounds: dict[Any, bool] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if not self._reach or not self._may_round(func):
            return func(*args, **kwargs)
        wide = self._wide(func, args, kwargs)
        result = func(*args, **kwargs)
        if wide is not None:
            # An error of ours must not look like one caused by rounding.
            with contextlib.suppress(RuntimeError, TypeError, ValueError, NotImplementedError):
                self._move_all(func, args, kwargs, result, wide)
        return result

    def _move_all(self, func: Any, args: tuple, kwargs: dict, result: Any, wide: list[Any]) -> None:
        sums = _sums(func, args, result) and not func._schema.is_mutable
        moved = self._wide(func, args, kwargs, moved=True) if sums else None
        for number, tensor in enumerate(tree_leaves(result)):
            if isinstance(tensor, torch.Tensor) and number < len(wide):
                self._move(tensor, wide[number], moved[number] if moved else None, _name(func))

    def _may_round(self, func: Any) -> bool:
        if func not in self._rounds:
            aliases = [returned.alias_info for returned in func._schema.returns]
            view = any(alias is not None and not alias.is_write for alias in aliases)
            random = any(tag in func.tags for tag in (torch.Tag.nondeterministic_seeded, torch.Tag.inplace_view))
            self._rounds[func] = not view and not random
        return self._rounds[func]

    def _wide(self, func: Any, args: tuple, kwargs: dict, moved: bool = False) -> list[Any] | None:
        """The same operator on the same operands, in double; None if that is not possible."""

        def widened(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
                return value.clone() if isinstance(value, torch.Tensor) else value
            copied = value.detach().to(_WIDE.get(value.dtype, torch.float64), copy=True)
            if moved and value.is_floating_point():
                copied.mul_(1 + torch.finfo(value.dtype).eps * self._uniform(copied))
            return copied

        operands = tree_leaves((args, kwargs))
        if not any(isinstance(o, torch.Tensor) and (o.is_floating_point() or o.is_complex()) for o in operands):
            return None
        if isinstance(kwargs.get("dtype"), torch.dtype):
            return None  # the program requests exactly this type
        try:
            return tree_leaves(func(*tree_map(widened, args), **tree_map(widened, kwargs)))
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            return None

    def _uniform(self, like: torch.Tensor) -> torch.Tensor:
        device = str(like.device)
        if device not in self._generators:
            self._generators[device] = torch.Generator(device=like.device).manual_seed(self._seed)
        drawn = torch.rand(like.shape, generator=self._generators[device], dtype=torch.float64, device=like.device)
        return drawn * self._leaning if self._leaning else drawn * 2 - 1

    def _move(self, tensor: torch.Tensor, wide: Any, moved: Any, name: str) -> None:
        if not isinstance(wide, torch.Tensor) or wide.shape != tensor.shape or tensor.dtype == wide.dtype == torch.bool:
            return
        if tensor.is_conj() or tensor.is_neg():
            return  # values of another tensor, viewed differently
        if tensor.is_complex() and wide.is_complex():
            wide = wide.resolve_conj()
            moved = torch.view_as_real(moved) if isinstance(moved, torch.Tensor) and moved.is_complex() else None
            self._move(torch.view_as_real(tensor), torch.view_as_real(wide), moved, name)
            return
        if not tensor.is_floating_point() or wide.dtype != torch.float64:
            return
        value = tensor.double()
        # Double has no wider type that shows what is exact.
        exact = value == wide if tensor.dtype != torch.float64 else (value == value.trunc()) | _is_exact(name)
        size = torch.finfo(tensor.dtype).eps * value.abs() + (value - wide).abs()
        if isinstance(moved, torch.Tensor) and moved.shape == tensor.shape:
            size = size + (moved - wide).abs()
        drawn = (value + self._reach * size * self._uniform(value)).to(tensor.dtype)
        keep = exact | ~torch.isfinite(value) | ~torch.isfinite(size)
        tensor.copy_(torch.where(keep, tensor, drawn))


def _name(func: Any) -> str:
    return func._schema.name.partition("::")[2]


def _is_exact(name: str) -> bool:
    return name.rstrip("_").startswith((*_EXACT, *_MOVES, *_WHOLE))


def _sums(func: Any, args: tuple, result: Any) -> bool:
    """Whether many terms go into one result, so that terms may cancel unseen."""
    if _name(func).rstrip("_").removeprefix("_") in _SUMS:
        return True
    sizes = [value.numel() for value in tree_leaves(args) if isinstance(value, torch.Tensor)]
    results = [value.numel() for value in tree_leaves(result) if isinstance(value, torch.Tensor)]
    return bool(sizes and results) and max(results) < max(sizes)


class Collected:
    """Has a recorder's interface and keeps what it is given."""

    def __init__(self) -> None:
        self.entries: list[tuple] = []
        self.size = 0

    def next_phase(self) -> None:
        self.entries.append(("phase",))

    def add_tensor(self, path: str, group: str, type_name: str, tensor: torch.Tensor) -> None:
        self.size += tensor.numel() * tensor.element_size()
        kept = tensor.detach().clone()
        self.entries.append(("tensor", path, group, type_name, kept, tensor.requires_grad))

    def add_value(self, path: str, group: str, type_name: str, value: str, opened: bool = True) -> None:
        self.entries.append(("value", path, group, type_name, value, opened))


def farthest(plain: Collected, draws: list[Collected], recorder: Any) -> None:
    """Records, leaf by leaf and element by element, what is farthest from the plain run."""
    others = [{entry[1]: entry for entry in draw.entries if len(entry) > 1} for draw in draws]
    for entry in plain.entries:
        if entry[0] == "phase":
            recorder.next_phase()
            continue
        drawn = [other[entry[1]] for other in others if entry[1] in other]
        if entry[0] == "value":
            recorder.add_value(*next((other for other in drawn if other[0] == "value" and other != entry), entry)[1:])
            continue
        tensors = [other[4] for other in drawn if other[0] == "tensor" and other[4].dtype == entry[4].dtype]
        recorder.add_tensor(*entry[1:4], _farthest(entry[4], tensors).requires_grad_(entry[5]))


def _farthest(plain: torch.Tensor, draws: list[torch.Tensor]) -> torch.Tensor:
    kept = plain
    reached = torch.zeros(plain.shape, dtype=torch.float64, device=plain.device)
    for draw in draws:
        if draw.shape != plain.shape:
            return draw
        if plain.layout != torch.strided:
            continue
        distance = _distance(draw, plain)
        kept = torch.where(distance > reached, draw, kept)
        reached = torch.maximum(reached, distance)
    return kept.clone()


def _distance(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    if one.dtype in (torch.bool, torch.uint8):
        return (one.to(torch.int64) - other.to(torch.int64)).abs().double()
    if not one.is_floating_point() and not one.is_complex():
        return (one.double() - other.double()).abs()
    wide = torch.complex128 if one.is_complex() else torch.float64
    apart = (one.to(wide) - other.to(wide)).abs()
    same = (one == other) | ((one != one) & (other != other))
    return torch.where(same, torch.zeros_like(apart), torch.nan_to_num(apart, nan=float("inf")))


def draw(run: Callable[[Collected, Noise], None], recorder: Any, seed: int) -> None:
    """Calls `run` for the plain run and for each draw; raises the error of a draw that strays."""
    ends: list[tuple[Collected, BaseException | None]] = []
    until = time.perf_counter() + SECONDS
    for number in range(1 + DRAWS):
        collected, caught = Collected(), None
        leaning = _LEANINGS[number // len(_REACH) % len(_LEANINGS)]
        noise = Noise(_REACH[number % len(_REACH)] if number else 0.0, leaning, seed + number)
        try:
            run(collected, noise)
        except Exception as error:
            caught = error
        ends.append((collected, caught))
        if number and (caught is None) != (ends[0][1] is None):
            break
        if time.perf_counter() > until and number >= 4:
            break
    collected, caught = ends[-1]
    strays = (caught is None) != (ends[0][1] is None)
    if caught is not None:
        raise caught
    farthest(collected if strays else ends[0][0], [] if strays else [end[0] for end in ends[1:]], recorder)
