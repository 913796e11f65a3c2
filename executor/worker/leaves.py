"""Flattens what a program takes and leaves behind into leaves; a path reads like the Python that reaches its leaf."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import torch

VALUE_CAP = 200
DEEPEST = 20
MOST_BYTES = 256 << 20

_DTYPE_NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz"
)
KNOWN_DTYPES = {getattr(torch, name) for name in _DTYPE_NAMES.split() if hasattr(torch, name)}


class RecordTooLarge(Exception):
    """A run left behind more than a record may hold."""


class Leaf(NamedTuple):
    path: str
    type_name: str
    tensor: torch.Tensor | None
    value: str


def flatten(value: Any, path: str, depth: int = 0) -> Iterator[Leaf]:
    """Leaves of `value` in a fixed order. Containers are leaves too, with their type and their size or keys."""
    if isinstance(value, torch.Tensor):
        yield from _tensor_leaves(value, path)
    elif isinstance(value, (float, complex)) and type(value) in (float, complex):
        # As a tensor, so that a rounding difference is a number and not another Python value.
        dtype = torch.float64 if type(value) is float else torch.complex128
        yield Leaf(path, type(value).__name__, torch.tensor(value, dtype=dtype, device="cpu"), "")
    elif depth > DEEPEST:
        yield Leaf(path, type(value).__name__, None, "too deep")
    else:
        children = _children(value)
        if children is None:
            yield Leaf(path, type(value).__name__, None, _text(value))
            return
        keys, pairs = children
        yield Leaf(path, type(value).__name__, None, keys)
        for suffix, child in pairs:
            yield from flatten(child, path + suffix, depth + 1)


def _children(value: Any) -> tuple[str, list[tuple[str, Any]]] | None:
    if isinstance(value, Mapping):
        keys = [_text(key) for key in value]
        return ", ".join(keys)[:VALUE_CAP], [(f"[{_text(key)}]", child) for key, child in value.items()]
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return str(len(value)), [(f"[{index}]", child) for index, child in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return ", ".join(names), [(f".{name}", getattr(value, name, None)) for name in names]
    if type(value).__module__.startswith("parityd_program") and hasattr(value, "__dict__"):
        attributes = vars(value)
        return ", ".join(attributes), [(f".{name}", child) for name, child in attributes.items()]
    return None


def _text(value: Any) -> str:
    if isinstance(value, (set, frozenset)):
        text = "{" + ", ".join(sorted(map(_text, value))) + "}"
    elif value is None or isinstance(
        value, (bool, int, str, bytes, float, torch.dtype, torch.device, torch.Size, range)
    ):
        text = repr(value)
    else:
        text = ""  # a default repr holds an address; the type says enough
    return re.sub(r"0x[0-9a-fA-F]+", "0x", text)[:VALUE_CAP]


def _tensor_leaves(tensor: torch.Tensor, path: str) -> Iterator[Leaf]:
    name = type(tensor).__name__
    if tensor.layout == torch.sparse_coo:
        yield Leaf(path, f"{name}(sparse_coo)", None, str(tuple(tensor.shape)))
        parts = {"indices": tensor._indices, "values": tensor._values}
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        yield Leaf(path, f"{name}({tensor.layout})", None, str(tuple(tensor.shape)))
        parts = {"crow_indices": tensor.crow_indices, "col_indices": tensor.col_indices, "values": tensor.values}
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        yield Leaf(path, f"{name}({tensor.layout})", None, str(tuple(tensor.shape)))
        parts = {"ccol_indices": tensor.ccol_indices, "row_indices": tensor.row_indices, "values": tensor.values}
    elif tensor.is_quantized:
        yield Leaf(path, f"{name}({tensor.dtype})", None, str(tensor.qscheme()))
        parts = {"int_repr": tensor.int_repr}
    elif tensor.layout != torch.strided or tensor.is_nested:
        yield Leaf(path, f"{name}({tensor.layout})", None, "")
        parts = {}
    elif tensor.dtype not in KNOWN_DTYPES:
        yield Leaf(path, f"{name}({tensor.dtype})", tensor.detach().contiguous().view(torch.uint8), "")
        parts = {}
    else:
        yield Leaf(path, name, tensor, "")
        parts = {}
    for part, get in parts.items():
        yield Leaf(f"{path}.{part}()", "Tensor", get(), "")


def record(recorder: Any, leaves: Iterable[Leaf], group: str) -> None:
    for leaf in leaves:
        if leaf.tensor is None:
            recorder.add_value(leaf.path, group, leaf.type_name, leaf.value)
        elif type(leaf.tensor) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            if recorder.size + leaf.tensor.untyped_storage().nbytes() > MOST_BYTES:
                raise RecordTooLarge(f"{leaf.path} and what came before hold more than {MOST_BYTES >> 20} MiB")
            recorder.add_tensor(leaf.path, group, leaf.type_name, leaf.tensor)
        else:
            recorder.add_tensor(leaf.path, group, leaf.type_name, leaf.tensor.as_subclass(torch.Tensor))


def record_arguments(recorder: Any, arguments: Any, group: str) -> None:
    """Inputs before or after the call. The list that holds them is the harness's own, so it is no leaf."""
    for path, value in _named(arguments, group):
        record(recorder, flatten(value, path), group)


def _named(arguments: Any, group: str) -> Iterator[tuple[str, Any]]:
    for index, value in enumerate(arguments.positional):
        yield f"{group}[{index}]", value
    for name, value in arguments.named.items():
        yield f"{group}[{name!r}]", value


def left_behind(
    outputs: Any, arguments: Any, model: torch.nn.Module, gradients: list[tuple[str, torch.Tensor]]
) -> Iterator[tuple[str, list[Leaf]]]:
    """All that a run leaves behind, as groups of leaves in the order of the record."""
    yield "output", list(flatten(outputs, "output"))
    for path, value in _named(arguments, "input_after"):
        yield "input_after", list(flatten(value, path))
    yield from _state(model)
    for name, gradient in gradients:
        yield "gradient", list(flatten(gradient, f"gradient.{name}"))


def _state(model: torch.nn.Module) -> Iterator[tuple[str, list[Leaf]]]:
    """Buffers (and tensors that are plain attributes of modules) and parameters after the call."""
    for name, buffer in model.named_buffers(remove_duplicate=False):
        yield "buffer", list(flatten(buffer, f"buffer.{name}"))
    for prefix, module in model.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor):
                yield "buffer", list(flatten(value, f"buffer.{prefix}.{name}" if prefix else f"buffer.{name}"))
    for name, parameter in model.named_parameters(remove_duplicate=False):
        yield "parameter", list(flatten(parameter, f"parameter.{name}"))


def tensors_in(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    for leaf in flatten(value, path):
        if isinstance(leaf.tensor, torch.Tensor) and leaf.type_name not in ("float", "complex"):
            yield leaf.path, leaf.tensor
