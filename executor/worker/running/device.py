"""Moves inputs and models to the device and type in which they run, preserving what moving one tensor at a time would
lose: shared storage, strides, offsets, and lazy conj and neg bits. Un-aliased inputs would hide bugs."""

import collections
import copy
import dataclasses
import types
from typing import Any

import torch

DOUBLES = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}


class Mover:
    """Copies trees of tensors. One Mover is for trees whose tensors may share storage with each other."""

    def __init__(self, device: str, double: bool = False, normal: bool = False) -> None:
        self.device = torch.device(device)
        self.double = double
        self.normal = normal
        self.replaced = 0  # subnormal elements made normal
        self._tensors: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._storages: dict[int, tuple[Any, torch.Tensor]] = {}
        self._dtypes: dict[int, set[torch.dtype]] = {}
        self._bases: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def tree(self, value: Any) -> Any:
        self._note_dtypes(value)
        return self._copy(value)

    def copies(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Each tensor met so far, with its copy."""
        return list(self._tensors.values())

    def _note_dtypes(self, value: Any) -> None:
        for tensor in _tensors_of(value):
            if _is_plain(tensor):
                self._dtypes.setdefault(tensor.untyped_storage().data_ptr(), set()).add(tensor.dtype)

    def _copy(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in self._tensors:
                self._tensors[id(value)] = (value, self._copy_tensor(value))
            return self._tensors[id(value)][1]
        if isinstance(value, dict):
            copied = copy.copy(value)  # keeps the order, and the default of a defaultdict
            for key, child in value.items():
                copied[key] = self._copy(child)
            return copied
        if isinstance(value, tuple):
            parts = [self._copy(child) for child in value]
            return type(value)(*parts) if hasattr(value, "_fields") else _same_type(value, parts)
        if isinstance(value, list):
            return [self._copy(child) for child in value]
        if isinstance(value, collections.deque):
            return collections.deque(map(self._copy, value), value.maxlen)
        if isinstance(value, (set, frozenset)):
            return _same_type(value, map(self._copy, value))
        if isinstance(value, types.SimpleNamespace):
            return types.SimpleNamespace(**self._copy(vars(value)))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [entry.name for entry in dataclasses.fields(value) if entry.init]
            return dataclasses.replace(value, **{name: self._copy(getattr(value, name)) for name in names})
        return value

    def _copy_tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            copied = self._copy_view(tensor) if _is_plain(tensor) else self._copy_whole(tensor)
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(copied, requires_grad=tensor.requires_grad)
        return copied.requires_grad_() if tensor.requires_grad else copied

    def _copy_whole(self, tensor: torch.Tensor) -> torch.Tensor:
        try:
            return self._convert(tensor.detach().clone()).to(self.device)
        # code of its class, which may not support copying; if nothing has to change it stays as it is
        except Exception:
            if self.double or tensor.device.type != self.device.type:
                raise
            return tensor

    def _copy_view(self, tensor: torch.Tensor) -> torch.Tensor:
        dtype = DOUBLES.get(tensor.dtype, tensor.dtype) if self.double else tensor.dtype
        flat = self._copy_storage(tensor, dtype)
        if flat is None:
            return self._convert(tensor.detach().clone()).to(self.device)
        base = tensor._base
        if base is not None and base.dtype == tensor.dtype and not base.is_conj() and not base.is_neg():
            # AOTAutograd treats inputs that share memory by their common base: a copy without one would reach other
            # code.
            with torch.enable_grad():  # a view made without grad mode must not be written to within it
                view = self._copy_base(base, flat, dtype).as_strided(
                    tensor.size(), tensor.stride(), tensor.storage_offset()
                )
        else:
            view = self._over(flat, tensor, dtype)
        if tensor.is_conj():
            view = torch._conj(view)
        return torch._neg_view(view) if tensor.is_neg() else view

    def _over(self, flat: torch.Tensor, tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """A tensor with `tensor`'s layout over a copied storage."""
        view = torch.empty(0, dtype=dtype, device=self.device)
        return view.set_(flat.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride())

    def _copy_base(self, base: torch.Tensor, flat: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        if id(base) not in self._bases:
            self._bases[id(base)] = (base, self._over(flat, base, dtype))
        return self._bases[id(base)][1]

    def _copy_storage(self, tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor | None:
        """The whole storage on the device; None if views of several dtypes share it and values must change."""
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
        if address in self._storages and address != 0:
            return self._storages[address][1]
        changes = dtype != tensor.dtype or self.normal
        if changes and len(self._dtypes.get(address, ())) > 1:
            return None
        element = tensor.dtype if changes else torch.uint8
        flat = torch.empty(0, dtype=element, device=tensor.device)
        flat.set_(storage, 0, (storage.nbytes() // flat.element_size(),), (1,))
        copied = flat.to(dtype).clone() if changes else flat.clone()
        if self.normal:
            copied, replaced = without_subnormals(copied)
            self.replaced += replaced
        copied = copied.to(self.device)
        self._storages[address] = (storage, copied)
        return copied

    def _convert(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.double and tensor.dtype in DOUBLES:
            return tensor.to(DOUBLES[tensor.dtype])
        return tensor

    def model(self, model: torch.nn.Module) -> torch.nn.Module:
        """In place: parameters and buffers, and also plain tensor attributes, which Module.to would leave behind."""
        registered = {id(tensor) for tensor in [*model.parameters(), *model.buffers()]}
        internals = vars(torch.nn.Module())
        changes = self.double or self.normal or self.device.type != "cpu"
        for module in model.modules():
            for name, value in list(vars(module).items()):
                if isinstance(value, torch.Tensor):
                    setattr(module, name, self.tree(value))
                elif changes and isinstance(value, (list, dict)) and name not in internals:
                    self._move_within(value, registered)
        if self.double:
            model._apply(self._convert)
        if self.normal:
            with torch.no_grad():
                for tensor in [*model.parameters(), *model.buffers()]:
                    changed, replaced = without_subnormals(tensor)
                    if replaced:
                        tensor.copy_(changed)
                        self.replaced += replaced
        return model.to(self.device)

    def _move_within(self, container: Any, others: set[int]) -> None:
        """In place, because others may hold the container; once each, because it may hold itself."""
        others.add(id(container))
        for key, child in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if id(child) in others:
                continue
            if isinstance(child, torch.Tensor):
                container[key] = self.tree(child)
            elif isinstance(child, (list, dict)):
                self._move_within(child, others)


def _is_plain(tensor: torch.Tensor) -> bool:
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout == torch.strided
        and not tensor.is_quantized
        and not tensor.is_nested
        and tensor.device.type != "meta"
    )


def _tensors_of(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [tensor for child in value.values() for tensor in _tensors_of(child)]
    if isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return [tensor for child in value for tensor in _tensors_of(child)]
    if isinstance(value, types.SimpleNamespace):
        return _tensors_of(vars(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [tensor for f in dataclasses.fields(value) for tensor in _tensors_of(getattr(value, f.name, None))]
    return []


def _same_type(original: Any, copied: Any) -> Any:
    try:
        return type(original)(copied)
    except TypeError:
        return copied


def without_subnormals(flat: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Subnormal values replaced with the smallest normal value of their sign, and how many there were."""
    if flat.is_complex():
        parts, replaced = without_subnormals(torch.view_as_real(flat))
        return torch.view_as_complex(parts), replaced
    if not flat.is_floating_point():
        return flat, 0
    wide = flat.double()
    smallest = torch.finfo(flat.dtype).smallest_normal
    subnormal = (wide != 0) & (wide.abs() < smallest)
    return torch.where(subnormal, smallest * wide.sign(), wide).to(flat.dtype), int(subnormal.sum())
