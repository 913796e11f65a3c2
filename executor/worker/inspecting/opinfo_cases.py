"""torch's own samples of operators (OpInfo, torch.testing._internal), in the same order in every process."""

import importlib.util
import itertools
import sys
import types
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from inspect_missing import NotInTorch

SEED = 7
BATCH = 8  # samples that are compiled together: the C++ compiler takes longer to start than to compile one of them
MOST_DTYPES = 3
MOST_SEEN = 60  # samples of an operator and dtype, of which some are chosen
_DTYPES = (
    torch.float32,
    torch.int64,
    torch.bfloat16,
    torch.bool,
    torch.int8,
    torch.float16,
    torch.complex64,
    torch.uint8,
    torch.int32,
    torch.float64,
)
# What an operator of aten is called in OpInfo, if neither its name nor its `aten_name` says so.
_CALLED = {
    "_adaptive_avg_pool2d": "nn.functional.adaptive_avg_pool2d",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "_to_copy": "to",
    "_unsafe_index": "__getitem__",
    "constant_pad_nd": "nn.functional.pad",
    "convolution": "nn.functional.conv2d",
    "embedding_dense": "nn.functional.embedding",
    "index": "__getitem__",
    "iota": "arange",
    "max_pool2d_with_indices": "nn.functional.max_pool2d",
    "native_dropout": "nn.functional.dropout",
    "native_group_norm": "nn.functional.group_norm",
    "nll_loss_forward": "nn.functional.nll_loss",
    "upsample_bicubic2d": "nn.functional.interpolate_bicubic",
    "upsample_bilinear2d": "nn.functional.interpolate_bilinear",
    "upsample_linear1d": "nn.functional.interpolate_linear",
    "upsample_nearest1d": "nn.functional.interpolate_nearest",
    "upsample_nearest2d": "nn.functional.interpolate_nearest",
    "upsample_nearest3d": "nn.functional.interpolate_nearest",
    "upsample_trilinear3d": "nn.functional.interpolate_trilinear",
}
_UNLIKE = ("empty", "new_empty", "normal", "uniform")  # their values are undefined, or they draw


@dataclass(frozen=True)
class Case:
    name: str  # "nn.functional.pad/constant/float32/3"
    call: Callable[..., Any]
    arguments: tuple[Any, tuple[Any, ...], dict[str, Any]]
    gradient: bool
    dynamic: bool


def op_infos() -> list[Any]:
    if importlib.util.find_spec("numpy") is None:
        raise NotInTorch("fired", "OpInfo needs the package numpy, which this Python lacks")
    if importlib.util.find_spec("expecttest") is None:  # the base class of torch's tests, which are not run here
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def infos_of(operator: str, infos: list[Any]) -> list[Any]:
    """Those of an operator: "aten.add", "aten.add.Tensor", "add", "nn.functional.pad". A backward operator stands for
    its forward, an in-place one for the other."""
    exact = [info for info in infos if info.name == operator]
    if exact:
        return exact
    plain = operator.removeprefix("aten.").removeprefix("prims.").partition(".")[0]
    plain = plain.removesuffix("_backward").removesuffix("_default")
    plain = plain if plain.endswith("__") else plain.rstrip("_")
    called = _CALLED.get(plain, plain)
    names = {called, called.lstrip("_"), f"nn.functional.{called}", f"nn.functional.{called.lstrip('_')}"}
    names |= {f"{package}.{called}" for package in ("special", "linalg", "fft")}
    return [
        info for info in infos if _full(info) in names or info.name in names or getattr(info, "aten_name", "") == plain
    ]


def _full(info: Any) -> str:
    return f"{info.name}_{info.variant_test_name}" if info.variant_test_name else info.name


def batches_of(infos: list[Any], device: str, most: int) -> list[list[Case]]:
    """`most` samples, of all operators in turn."""
    share = max(3, -(-most // max(1, len(infos))))
    turns = itertools.zip_longest(*(_cases_of(info, device, share) for info in infos))
    cases = [case for turn in turns for case in turn if case is not None][:most]
    batches = []
    for dynamic in (False, True):
        alike = [case for case in cases if case.dynamic is dynamic]
        batches += [alike[start : start + BATCH] for start in range(0, len(alike), BATCH)]
    return batches


def _cases_of(info: Any, device: str, most: int) -> list[Case]:
    """The first dtype has half of them, some of these with dynamic shapes."""
    if info.name.removeprefix("torch.").startswith(_UNLIKE):
        return []
    supported = info.supported_dtypes(device)
    dtypes = [dtype for dtype in _DTYPES if dtype in supported][:MOST_DTYPES]
    found = []
    for number, dtype in enumerate(dtypes):
        share = -(-most // 2) if number == 0 else -(-most // (2 * (len(dtypes) - 1)))
        found.append(_cases(info, device, dtype, share, number == 0))
    return [case for turn in itertools.zip_longest(*found) for case in turn if case is not None]


def _cases(info: Any, device: str, dtype: torch.dtype, most: int, some_dynamic: bool) -> list[Case]:
    gradient = bool(info.supports_autograd) and dtype in (torch.float32, torch.float64)
    torch.manual_seed(SEED)
    try:
        seen = list(itertools.islice(info.sample_inputs(device, dtype, requires_grad=gradient), MOST_SEEN))
    except Exception:  # it needs a package, or another device
        return []
    name = f"{full_name(info)}/{str(dtype).removeprefix('torch.')}"
    step = max(1, len(seen) // most)
    cases = []
    for number, index in enumerate(range(0, len(seen), step)):
        sample = seen[index]
        dynamic = some_dynamic and number % 4 == 1
        arguments = (sample.input, tuple(sample.args), sample.kwargs)
        cases.append(Case(f"{name}/{index}", info.op, arguments, gradient, dynamic))
    return cases[:most]


def full_name(info: Any) -> str:
    return f"{info.name}/{info.variant_test_name or '-'}"
