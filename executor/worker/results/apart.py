"""Tensors whose elements are not in one plain storage, taken apart into tensors that are, or into numbers."""

import itertools
from typing import Any, NamedTuple

import torch
from plain import full_name
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

try:
    import numpy
except ImportError:  # torch works without it, and then no arrays can occur
    numpy = None

MOST_ELEMENTS = 1024  # of a tensor that can only return them one by one

_DTYPE_NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz"
)
KNOWN_DTYPES = {getattr(torch, name) for name in _DTYPE_NAMES.split() if hasattr(torch, name)}
_COMPRESSED = {
    torch.sparse_csr: ("crow_indices", "col_indices"),
    torch.sparse_bsr: ("crow_indices", "col_indices"),
    torch.sparse_csc: ("ccol_indices", "row_indices"),
    torch.sparse_bsc: ("ccol_indices", "row_indices"),
}
PLAIN = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))


class Apart(NamedTuple):
    type_name: str
    text: str
    parts: list[tuple[str, Any]]  # suffix of the path, with a tensor or plain value


def is_whole(tensor: torch.Tensor) -> bool:
    """Whether its gradient is requested as a whole, although its elements are in several tensors."""
    return tensor.is_nested or is_wrapper(tensor)


def is_wrapper(tensor: torch.Tensor) -> bool:
    """A subclass without a storage that holds its elements."""
    if type(tensor) in PLAIN or tensor.layout != torch.strided or tensor.device.type == "meta":
        return False
    return is_traceable_wrapper_subclass(tensor) or not has_data(tensor)


def has_data(tensor: torch.Tensor) -> bool:
    try:
        storage = tensor.untyped_storage()
        return storage.nbytes() == 0 or storage.data_ptr() != 0
    except (RuntimeError, NotImplementedError):  # there is none, or it may not be accessed
        return False


def parts_of(tensor: torch.Tensor) -> Apart | None:
    """None: it is plain. Raises for a tensor that nothing can take apart."""
    name = type(tensor).__name__
    shape = str(tuple(tensor.shape)) if not tensor.is_nested else ""
    if is_functorch_wrapped_tensor(tensor):
        raise TypeError("a tensor of a transform that has ended")
    if tensor.is_nested:
        return _nested(tensor, name)
    if is_wrapper(tensor):
        return _wrapper(tensor, f"{shape}, {tensor.dtype}, requires_grad={tensor.requires_grad}")
    if tensor.layout == torch.sparse_coo:
        return Apart(f"{name}(sparse_coo)", shape, _called(tensor, "_indices", "_values"))
    if tensor.layout in _COMPRESSED:
        return Apart(f"{name}({tensor.layout})", shape, _called(tensor, *_COMPRESSED[tensor.layout], "values"))
    if tensor.layout != torch.strided:
        return Apart(f"{name}({tensor.layout})", shape, _called(tensor, "to_dense"))
    if tensor.is_quantized:
        return Apart(f"{name}({tensor.dtype})", str(tensor.qscheme()), _quantized(tensor))
    if tensor.dtype not in KNOWN_DTYPES:
        return Apart(f"{name}({tensor.dtype})", shape, [("", tensor.detach().contiguous().view(torch.uint8))])
    return None


def _called(tensor: torch.Tensor, *names: str) -> list[tuple[str, Any]]:
    return [(f".{name.lstrip('_')}()", getattr(tensor, name)()) for name in names]


def _quantized(tensor: torch.Tensor) -> list[tuple[str, Any]]:
    prefix, plural = ("q_", "") if "tensor" in str(tensor.qscheme()) else ("q_per_channel_", "s")
    return _called(tensor, "int_repr", f"{prefix}scale{plural}", f"{prefix}zero_point{plural}")


def _nested(tensor: torch.Tensor, name: str) -> Apart:
    text = f"{tensor.dim()} dimensions, {tensor.dtype}, requires_grad={tensor.requires_grad}"
    if tensor.layout == torch.jagged:  # its other parts are caches
        parts = [(f".{part}()", getattr(tensor, f"_{part}", None)) for part in ("values", "offsets", "lengths")]
        return Apart(f"{name}(jagged)", f"{text}, ragged {tensor._ragged_idx}", [p for p in parts if p[1] is not None])
    return Apart(f"{name}(nested)", text, [(f"[{index}]", part) for index, part in enumerate(tensor.unbind())])


def _wrapper(tensor: torch.Tensor, text: str) -> Apart:
    name = full_name(type(tensor))
    if is_traceable_wrapper_subclass(tensor):
        names, context = tensor.__tensor_flatten__()
        return Apart(name, text, [*((f".{part}", getattr(tensor, part)) for part in names), (".context", context)])
    held = [(f".{part}", value) for part, value in vars(tensor).items() if isinstance(value, torch.Tensor)]
    return Apart(name, text, held or [(".elements", _elements(tensor))])


def _elements(tensor: torch.Tensor) -> torch.Tensor:
    """Requested from its class one by one: only that knows where they are."""
    if tensor.numel() > MOST_ELEMENTS:
        raise TypeError(f"more than {MOST_ELEMENTS} elements")
    with torch.no_grad():
        given = [tensor[index].item() for index in itertools.product(*map(range, tensor.shape))]
    return torch.tensor(given, dtype=tensor.dtype).reshape(tensor.shape)


def of_array(array: Any) -> torch.Tensor | None:
    """numpy's numbers as a tensor; None if torch has no such numbers."""
    kind = array.dtype.kind
    if kind == "M" or kind == "m":
        return of_array(array.view("int64"))
    if kind not in "biufc":
        return None
    wide = {"f": "float64", "c": "complex128"}.get(kind)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    try:
        return torch.from_numpy(numpy.array(native, copy=True))
    except TypeError:  # wider than any of torch's
        return torch.from_numpy(native.astype(wide)) if wide else None
