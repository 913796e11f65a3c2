"""Flattens what a program takes and leaves behind into leaves; a path reads like the Python that reaches its leaf."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apart
import opened
import torch
from plain import full_name, plain_text

DEEPEST = 20
MOST_LEAVES = 10_000  # of one value
MOST_BYTES = 256 << 20


class RecordTooLarge(Exception):
    """A run left behind more than a record may hold."""


class Leaf(NamedTuple):
    path: str
    type_name: str
    tensor: torch.Tensor | None
    value: str
    made: bool = False  # the harness made the tensor, from a number or an array
    closed: Any = None  # a value that cannot be opened: such leaves are compared only by type

    @property
    def of_program(self) -> bool:
        return self.tensor is not None and not self.made


class Known(dict):
    """Values, by id, that are referred to by a name: where they occur they are not opened. Holds them, so that each id
    stays unique."""

    def name(self, value: Any, name: str) -> None:
        self.setdefault(id(value), (value, name))

    def name_of(self, value: Any) -> str | None:
        return self[id(value)][1] if id(value) in self else None


class _Walk:
    """One pass over a value. Tensors are not opened, nor is anything that contains itself, is nested too deep or comes
    too late."""

    def __init__(self, known: Known, foreign: bool = True) -> None:
        self._known = known
        self._foreign = foreign
        self._within: list[int] = []
        self._left = MOST_LEAVES

    def leaves(self, value: Any, path: str) -> Iterator[Leaf]:
        name = type(value).__name__
        self._left -= 1
        known, text = self._known.name_of(value), plain_text(value)
        if known is not None:
            yield Leaf(path, name, None, known)
        elif isinstance(value, torch.Tensor):
            yield Leaf(path, name, value, "")
        elif _is_array(value):
            yield from self._array(value, path)
        elif isinstance(value, (float, complex)):
            # As a tensor, so that a rounding difference is a number and not a different Python value.
            kind, dtype = (float, torch.float64) if isinstance(value, float) else (complex, torch.complex128)
            yield Leaf(path, name, torch.tensor(kind(value), dtype=dtype, device="cpu"), "", made=True)
        elif text is not None and not (isinstance(value, type) and opened.is_own(value)):
            yield Leaf(path, name, None, text)
        elif id(value) in self._within:
            yield Leaf(path, name, None, f"itself, {len(self._within) - self._within.index(id(value))} up")
        elif len(self._within) > DEEPEST or self._left < 0:
            yield _closed(path, value)
        else:
            yield from self._inside(value, path)

    def _array(self, array: Any, path: str) -> Iterator[Leaf]:
        tensor = apart.of_array(array)
        if isinstance(array, apart.numpy.ma.MaskedArray):
            yield from self._array(apart.numpy.ma.getmaskarray(array), f"{path}.mask")
        name = "ndarray" if array.ndim else type(array[()]).__name__
        name = type(array).__name__ if type(array).__name__ != "ndarray" else name
        if tensor is not None:
            yield Leaf(path, name, tensor, "", made=True)
        elif array.dtype.names:
            yield Leaf(path, name, None, ", ".join(array.dtype.names))
            for field in array.dtype.names:
                yield from self._array(array[field], f"{path}[{field!r}]")
        else:  # strings and objects
            yield Leaf(path, name, None, f"{array.dtype.kind}{list(array.shape)}")
            yield from self.leaves(array.tolist(), f"{path}.tolist()")

    def _inside(self, value: Any, path: str) -> Iterator[Leaf]:
        try:
            found = opened.opened(value, self._foreign)
        except Exception:  # code of its class, which may raise anything
            found = None
        if found is None:
            yield _closed(path, value)
            return
        yield Leaf(path, type(value).__name__, None, found.text)
        self._within.append(id(value))
        for suffix, child in found.children:
            if self._left < 0:
                yield _closed(f"{path}, further on", value)
                break
            yield from self.leaves(child, path + suffix)
        self._within.pop()


def _is_array(value: Any) -> bool:
    return apart.numpy is not None and isinstance(value, (apart.numpy.ndarray, apart.numpy.generic))


def _closed(path: str, value: Any) -> Leaf:
    return Leaf(path, full_name(type(value)), None, "", closed=value)


def flatten(value: Any, path: str, known: Known | None = None, foreign: bool = True) -> Iterator[Leaf]:
    """Leaves of `value` in a fixed order. Containers are leaves, too, with their type and their size or keys. Objects
    of foreign classes are opened if `foreign`."""
    for leaf in _Walk(Known() if known is None else known, foreign).leaves(value, path):
        yield from _tensor_leaves(leaf) if leaf.of_program else [leaf]


def _tensor_leaves(leaf: Leaf, depth: int = 0) -> Iterator[Leaf]:
    try:
        found = apart.parts_of(leaf.tensor) if depth < DEEPEST else None
    except Exception:  # code of its class, which may raise anything
        yield _closed(leaf.path, leaf.tensor)
        return
    if found is None:
        yield leaf
        return
    yield Leaf(leaf.path, found.type_name, None, found.text)
    for suffix, part in found.parts:
        for inner in _Walk(Known()).leaves(part, leaf.path + suffix):
            yield from _tensor_leaves(inner, depth + 1) if inner.of_program else [inner]


def tensors_in(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Those for which gradients can be requested."""
    for leaf in _Walk(Known()).leaves(value, path):
        if leaf.of_program and apart.is_whole(leaf.tensor):
            yield leaf.path, leaf.tensor
        elif leaf.of_program:
            yield from ((part.path, part.tensor) for part in _tensor_leaves(leaf) if part.of_program)


def record(recorder: Any, leaves: Iterable[Leaf], group: str) -> None:
    for leaf in leaves:
        if leaf.tensor is None:
            recorder.add_value(leaf.path, group, leaf.type_name, leaf.value, leaf.closed is None)
            continue
        if recorder.size + _bytes(leaf.tensor) > MOST_BYTES:
            raise RecordTooLarge(f"{leaf.path} and the leaves before it have more than {MOST_BYTES >> 20} MiB")
        plain = type(leaf.tensor) in apart.PLAIN
        recorder.add_tensor(
            leaf.path, group, leaf.type_name, leaf.tensor if plain else leaf.tensor.as_subclass(torch.Tensor)
        )


def _bytes(tensor: torch.Tensor) -> int:
    try:
        return tensor.untyped_storage().nbytes()
    except (RuntimeError, NotImplementedError):
        return math.prod(tensor.shape)
