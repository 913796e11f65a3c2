"""Behaviour that PyTorch's documentation leaves undefined, looked for in an operator's operands before it runs. A
row of TABLE names its rule; oracle/rules/allowances.cpp has the same names with sources. A check returns the number of
elements."""

from collections.abc import Callable
from typing import Any

import torch

Check = Callable[[tuple, dict], int]


def _argument(args: tuple, kwargs: dict, position: int, name: str, default: Any = None) -> Any:
    return args[position] if len(args) > position else kwargs.get(name, default)


def _is_integer(dtype: torch.dtype | None) -> bool:
    return dtype is not None and dtype != torch.bool and not dtype.is_floating_point and not dtype.is_complex


def _unrepresentable(source: Any, target: torch.dtype | None) -> int:
    """Number of elements whose integer part the target type cannot hold; NaN and infinities have none."""
    if not isinstance(source, torch.Tensor) or not source.is_floating_point() or not _is_integer(target):
        return 0
    limits = torch.iinfo(target)
    whole = source.double().trunc()
    # The largest integer plus one is a power of two, so the comparison is exact in double.
    return int((~((whole >= float(limits.min)) & (whole < 2.0 ** limits.max.bit_length()))).sum())


def _cast(args: tuple, kwargs: dict) -> int:
    return _unrepresentable(_argument(args, kwargs, 0, "self"), kwargs.get("dtype"))


def _copied_cast(args: tuple, kwargs: dict) -> int:
    return _unrepresentable(_argument(args, kwargs, 1, "src"), args[0].dtype)


def _converted(args: tuple, kwargs: dict) -> int:
    return _unrepresentable(_argument(args, kwargs, 0, "a"), _argument(args, kwargs, 1, "dtype"))


def _bad_shift(args: tuple, kwargs: dict) -> int:
    value, amount = _argument(args, kwargs, 0, "self"), _argument(args, kwargs, 1, "other")
    promoted = torch.result_type(value, amount)
    if not _is_integer(promoted):
        return 0
    width = torch.iinfo(promoted).bits
    if isinstance(amount, torch.Tensor):
        return int(((amount < 0) | (amount >= width)).sum())
    return value.numel() if isinstance(value, torch.Tensor) and not 0 <= amount < width else 0


def _bad_constant_shift(args: tuple, kwargs: dict) -> int:
    """Only for a shift by a Python number: for amounts in a tensor eager returns 0, and compiled code is made to
    agree."""
    amount = _argument(args, kwargs, 1, "other")
    return 0 if isinstance(amount, torch.Tensor) and amount.dim() > 0 else _bad_shift(args, kwargs)


def _positions(like: torch.Tensor) -> torch.Tensor:
    return torch.arange(like.numel(), device=like.device).view(like.shape)


def _conflicts(size: int, places: torch.Tensor, values: Any) -> int:
    """Number of places to which two different values are written."""
    places = places.reshape(-1)
    if not isinstance(values, torch.Tensor) or places.numel() < 2:
        return 0
    values = values.reshape(-1).to(places.device)
    if values.is_complex():
        return max(_conflicts(size, places, part) for part in torch.view_as_real(values).unbind(-1))
    values = values.to(torch.float64 if values.is_floating_point() else torch.int64)
    first = torch.zeros(size, dtype=values.dtype, device=values.device)
    low = first.scatter_reduce(0, places, values, "amin", include_self=False)
    high = first.scatter_reduce(0, places, values, "amax", include_self=False)
    return int((low != high).sum())


def _indexed_twice(args: tuple, kwargs: dict) -> int:
    target, indices, values = args[0], args[1], args[2]
    if _argument(args, kwargs, 3, "accumulate", False):
        return 0
    indices = [index.to(target.device) if isinstance(index, torch.Tensor) else index for index in indices]
    places = torch.ops.aten.index(_positions(target), indices)
    return _conflicts(target.numel(), places, values.expand(places.shape))


def _scattered_twice(args: tuple, kwargs: dict) -> int:
    target, dim, index, source = args[0], args[1], args[2], _argument(args, kwargs, 3, "src")
    if not isinstance(source, torch.Tensor) or target.dim() == 0 or "reduce" in kwargs or len(args) > 4:
        return 0
    dim %= target.dim()
    places, kept = _positions(target), source
    for axis, size in enumerate(index.shape):
        places = places if axis == dim else places.narrow(axis, 0, size)
        kept = kept.narrow(axis, 0, size)
    return _conflicts(target.numel(), places.gather(dim, index), kept)


def _copied_twice(args: tuple, kwargs: dict) -> int:
    target, dim, index, source = args[:4]
    if target.dim() == 0:
        return 0
    return _conflicts(target.numel(), _positions(target).index_select(dim, index), source)


def _put_twice(args: tuple, kwargs: dict) -> int:
    target, index, source = args[:3]
    return 0 if _argument(args, kwargs, 3, "accumulate", False) else _conflicts(target.numel(), index, source)


def _descents(boundaries: Any) -> int:
    if not isinstance(boundaries, torch.Tensor) or boundaries.dim() == 0 or boundaries.shape[-1] < 2:
        return 0
    return int((boundaries[..., 1:] < boundaries[..., :-1]).sum())


def _unsorted_buckets(args: tuple, kwargs: dict) -> int:
    return _descents(_argument(args, kwargs, 1, "boundaries"))


def _unsorted_sequence(args: tuple, kwargs: dict) -> int:
    return 0 if kwargs.get("sorter") is not None else _descents(args[0])


def _divided_by_zero(args: tuple, kwargs: dict) -> int:
    """On the GPU only: on the CPU eager raises."""
    left, right = _argument(args, kwargs, 0, "self"), _argument(args, kwargs, 1, "other")
    tensors = [operand for operand in (left, right) if isinstance(operand, torch.Tensor)]
    if not any(tensor.is_cuda for tensor in tensors) or not _is_integer(torch.result_type(left, right)):
        return 0
    return int((torch.as_tensor(right) == 0).sum())


def _fractional(args: tuple, kwargs: dict) -> int:
    """Integers scaled by a number that is not one: eager truncates it, whereas a compiler may round the product."""
    integers = all(_is_integer(each.dtype) for each in args if isinstance(each, torch.Tensor))
    scales = [kwargs.get(name) for name in ("value", "alpha", "beta")]
    fractional = any(isinstance(scale, float) and not scale.is_integer() for scale in scales)
    return args[0].numel() if integers and fractional else 0


def _rows(rule: str, check: Check, *operators: str) -> dict[str, tuple[str, Check]]:
    return {operator: (rule, check) for operator in operators}


# By the operator's name without overload.
TABLE: dict[str, tuple[str, Check]] = {
    **_rows("cast_out_of_range", _cast, "aten::_to_copy", "aten::sum", "aten::prod", "aten::cumsum", "aten::cumprod"),
    **_rows("cast_out_of_range", _copied_cast, "aten::copy_", "aten::copy"),
    **_rows("cast_out_of_range", _converted, "prims::convert_element_type"),
    **_rows("right_shift_amount", _bad_shift, "aten::bitwise_right_shift", "aten::bitwise_right_shift_"),
    **_rows("right_shift_amount", _bad_shift, "aten::__rshift__", "aten::__irshift__"),
    **_rows("left_shift_constant", _bad_constant_shift, "aten::bitwise_left_shift", "aten::bitwise_left_shift_"),
    **_rows("left_shift_constant", _bad_constant_shift, "aten::__lshift__", "aten::__ilshift__"),
    **_rows("duplicate_index_put", _indexed_twice, "aten::index_put", "aten::index_put_", "aten::_index_put_impl_"),
    **_rows("duplicate_index_put", _indexed_twice, "aten::_unsafe_index_put"),
    **_rows("duplicate_scatter", _scattered_twice, "aten::scatter", "aten::scatter_"),
    **_rows("duplicate_index_copy", _copied_twice, "aten::index_copy", "aten::index_copy_"),
    **_rows("duplicate_put", _put_twice, "aten::put", "aten::put_"),
    **_rows("integer_remainder_of_zero", _divided_by_zero, "aten::fmod", "aten::fmod_"),
    **_rows("integer_remainder_of_zero", _divided_by_zero, "aten::remainder", "aten::remainder_"),
    **_rows("fractional_scale", _fractional, "aten::addcmul", "aten::addcmul_", "aten::addr", "aten::addr_"),
    **_rows("fractional_scale", _fractional, "aten::addmm", "aten::addmm_", "aten::addmv", "aten::addmv_"),
    **_rows("fractional_scale", _fractional, "aten::baddbmm", "aten::baddbmm_", "aten::addbmm", "aten::addbmm_"),
    **_rows("unsorted_boundaries", _unsorted_buckets, "aten::bucketize"),
    **_rows("unsorted_boundaries", _unsorted_sequence, "aten::searchsorted"),
}


def shared_elements(written: torch.Tensor) -> int:
    """Number of elements that share memory with another element of the same tensor. Strides of zero are left to eager,
    which refuses most writes through them and defines the others: its own test returns 1 for such tensors, 0 for dense
    ones, 2 if it is not sure (aten/src/ATen/MemoryOverlap.h)."""
    if written.layout != torch.strided or torch._debug_has_internal_overlap(written) != 2:
        return 0
    last = sum(step * (size - 1) for step, size in zip(written.stride(), written.shape, strict=True))
    places = torch.arange(last + 1).as_strided(written.shape, written.stride())
    return written.numel() - places.unique().numel()


def look(name: str, args: tuple, kwargs: dict) -> tuple[str, int]:
    """The rule that the call breaks and the number of elements concerned; an empty rule if it breaks none."""
    row = TABLE.get(name)
    if row is None:
        return "", 0
    try:
        return row[0], row[1](args, kwargs)
    except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
        return "", 0  # the operator itself will report what is wrong with its operands
