"""Watches an eager run at the operators, with the actual values: where it does something the documentation leaves
undefined or open, and which leaves that reaches. Only suspects are run this way, in the mode `eager_watched`.

Taint is tracked per storage: if an operator reads a tainted storage, everything it writes becomes tainted. Unwritten
memory is tracked per element."""

from collections.abc import Iterable
from typing import Any

import leaves
import ties
import torch
import undefined
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

MOST_OBSERVATIONS = 200
# These use only the shape and type of their operands.
_MAKERS = ("empty", "new_empty", "zeros", "new_zeros", "ones", "new_ones", "full", "new_full", "rand", "sym_", "resize")
_UNWRITTEN = ("aten::empty", "aten::new_empty", "aten::resize_")
_OVERWRITES = frozenset(
    f"aten::{name}_"
    for name in ("copy", "fill", "zero", "normal", "uniform", "random", "bernoulli", "exponential", "set", "resize")
)
# These write a part of their first operand and leave the rest alone.
_PARTIAL = frozenset(
    f"aten::{name}_" for name in ("index_put", "scatter", "index_fill", "index_copy", "masked_fill", "put")
)


class Watch(TorchDispatchMode):
    def __init__(self, drawn_anew: bool = False) -> None:
        """`drawn_anew`: a recomputation in backward may draw other numbers than forward did."""
        super().__init__()
        self._drawn_anew = drawn_anew
        self._observations: list[dict[str, Any]] = []
        self._taints: dict[int, frozenset[int]] = {}
        # by storage: a mask that is True where written, and its observation
        self._unwritten: dict[int, tuple[torch.Tensor, int]] = {}
        self._alive: list[Any] = []  # storages are known by address, so their addresses must not be reused
        self._everywhere: frozenset[int] = frozenset()  # what Python read with .item() may steer anything after it
        self._views: dict[Any, bool] = {}
        self._overlapping: set[int] = set()  # storages of which as_strided made a view that overlaps itself

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name
        if self._is_view(func):
            return self._viewed(name, func(*args, **kwargs))
        taint = self._everywhere
        maker = name.partition("::")[2].startswith(_MAKERS)
        written = [] if maker and not name.endswith("_") else self._written(func, args, kwargs)
        for tensor in [] if maker else tree_leaves((args, kwargs)):
            if isinstance(tensor, torch.Tensor):
                overwritten = name in _OVERWRITES and tensor is args[0] or tensor is kwargs.get("out")
                taint |= self._taint_of(tensor, not overwritten and not (name in _PARTIAL and tensor is args[0]))
        rule, count = undefined.look(name, args, kwargs)
        if count:
            taint |= self._observe(rule, name, count)
        in_backward = torch._C._current_graph_task_id() != -1
        if self._drawn_anew and in_backward and torch.Tag.nondeterministic_seeded in func.tags:
            taint |= self._observe("drawn_anew", name, 1)
        for tensor in written:
            if count := undefined.shared_elements(tensor) or int(_key(tensor) in self._overlapping):
                taint |= self._observe("overlapping_write", name, count)
        marks = [(tensor, self._mark_written(func, name, tensor, args, kwargs)) for tensor in written]
        result = func(*args, **kwargs)
        self._spread(name, result, taint, marks)
        rule, count, indices = ties.look(func, args, kwargs, result)
        if count:
            tie = self._observe(rule, name, count)
            for tensor in indices:
                self._add(tensor, tie)
        return result

    def _viewed(self, name: str, view: Any) -> Any:
        """Before writing to a result of as_strided, or to rows of it, a program is required to clone it."""
        if name == "aten::as_strided" and undefined.shared_elements(view):
            self._overlapping.add(_key(view))
            self._alive.append(view.untyped_storage())
        return view

    def _is_view(self, func: Any) -> bool:
        if func not in self._views:
            aliases = [returned.alias_info for returned in func._schema.returns]
            self._views[func] = any(alias is not None and not alias.is_write for alias in aliases)
        return self._views[func]

    @staticmethod
    def _written(func: Any, args: tuple, kwargs: dict) -> list[torch.Tensor]:
        found = []
        for position, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = args[position] if position < len(args) else kwargs.get(argument.name)
                found += [tensor for tensor in tree_leaves(value) if isinstance(tensor, torch.Tensor)]
        return found

    def _spread(self, name: str, result: Any, taint: frozenset[int], written: list) -> None:
        for tensor in tree_leaves(result):
            if not isinstance(tensor, torch.Tensor):
                self._everywhere |= taint
            elif not any(tensor is target for target, _ in written):
                self._add(tensor, taint)
                if name.startswith(_UNWRITTEN):
                    self._note_unwritten(tensor, name)
        for tensor, whole in written:
            if whole:
                self._taints.pop(_key(tensor), None)
            self._add(tensor, taint)

    def _add(self, tensor: torch.Tensor, taint: frozenset[int]) -> None:
        key = _key(tensor)
        if key and taint:
            if key not in self._taints:
                self._alive.append(tensor.untyped_storage())
            self._taints[key] = self._taints.get(key, frozenset()) | taint

    def _observe(self, rule: str, name: str, count: int) -> frozenset[int]:
        if len(self._observations) == MOST_OBSERVATIONS:
            return frozenset([MOST_OBSERVATIONS - 1])
        self._observations.append({"rule": rule, "operator": name.replace("::", "."), "elements": count, "leaves": []})
        return frozenset([len(self._observations) - 1])

    # ---- unwritten memory

    def _note_unwritten(self, tensor: torch.Tensor, name: str) -> None:
        key = _key(tensor)
        if not key or tensor.numel() == 0:
            return
        written = torch.zeros(tensor.untyped_storage().nbytes() // tensor.element_size(), dtype=torch.bool)
        self._unwritten[key] = written, self._unread(name)
        self._alive.append(tensor.untyped_storage())

    def _unread(self, name: str) -> int:
        """A pending observation: it counts once something reads the memory."""
        (number,) = self._observe("uninitialised_memory", name, 0)
        return number

    def _cells(self, tensor: torch.Tensor) -> tuple[torch.Tensor, int] | None:
        """The marks of this tensor's own elements."""
        known = self._unwritten.get(_key(tensor))
        if known is None:
            return None
        written, number = known
        if tensor.untyped_storage().nbytes() != written.numel() * tensor.element_size():
            return written, number  # a view of another width: all of it
        return written.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset()), number

    def _mark_written(self, func: Any, name: str, tensor: torch.Tensor, args: tuple, kwargs: dict) -> bool:
        """Whether the operator writes every byte of the storage without reading any."""
        cells = self._cells(tensor)
        if cells is not None and name in _PARTIAL and tensor is args[0]:
            _mark_part(func, name, cells[0], args, kwargs)
        elif cells is not None and name != "aten::resize_":
            cells[0].fill_(True)
        return name in _OVERWRITES and tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()

    def _taint_of(self, tensor: torch.Tensor, read: bool) -> frozenset[int]:
        key = _key(tensor)
        taint = self._taints.get(key, frozenset()) if read else frozenset()
        cells = self._cells(tensor) if read and key in self._unwritten else None
        if cells is not None and not bool(cells[0].all()):
            taint |= {cells[1]}
            self._observations[cells[1]]["elements"] = max(
                self._observations[cells[1]]["elements"], int((~cells[0]).sum())
            )
        return taint

    # ---- results

    def reach(self, flat: Iterable[leaves.Leaf]) -> None:
        """Records which of these leaves an observation has reached."""
        for leaf in flat:
            for number in sorted(self._taint_of(leaf.tensor, True) if leaf.of_program else self._everywhere):
                self._observations[number]["leaves"].append(leaf.path)

    def observations(self) -> list[dict[str, Any]]:
        return [seen for seen in self._observations if seen["elements"] > 0 and seen["leaves"]]


def _key(tensor: torch.Tensor) -> int:
    try:
        return tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):  # sparse, nested, a wrapper
        return 0


def _mark_part(func: Any, name: str, cells: torch.Tensor, args: tuple, kwargs: dict) -> None:
    """Repeats the write, with True into the marks."""
    values = {"aten::index_put_": 2, "aten::put_": 2, "aten::masked_fill_": 2}.get(name, 3)
    operands = [cells, *(operand.cpu() if isinstance(operand, torch.Tensor) else operand for operand in args[1:])]
    if name == "aten::index_put_":
        operands[1] = [index if index is None else index.cpu() for index in args[1]]
    if values < len(operands):
        value = operands[values]
        operands[values] = torch.ones_like(value, dtype=torch.bool) if isinstance(value, torch.Tensor) else True
    try:
        func(*operands, **kwargs)
    except RuntimeError:  # an unforeseen form of the operator: then nothing is called unwritten
        cells.fill_(True)
