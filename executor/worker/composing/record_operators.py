"""Writes operators.json beside itself: calls of torch's operators with literal arguments and the tensors passed to
them, taken from the samples torch tests itself with (OpInfo), each tried once. To be run by hand with the newest torch:

    python executor/worker/composing/record_operators.py

A call that another torch lacks or refuses costs the composer one try. Needs numpy and packaging; runs for a minute.
"""

import itertools
import json
import pathlib
import re
import sys
import types
import unittest
import warnings
from typing import Any

import torch

MOST_CALLS = {torch.float32: 4, torch.int64: 1, torch.bool: 1, torch.complex64: 1}  # of one operator
SAMPLES_LOOKED_AT = 60
MOST_ELEMENTS = 2048
# Different values each time, another layout or type of tensor, a private name, no tensor.
LEFT_OUT = re.compile(
    r"empty|sparse|to_dense|pin_memory|is_pinned|jiterator|bernoulli|rand|normal|multinomial|uniform|"
    r"cauchy|exponential|geometric|log_normal|dropout|rrelu|gumbel|fractional|resize|nested|uniqu|_flash|"
    r"_efficient|ops.aten|to_padded|quant|cdist_forward|__|item|tolist|equal"
)
SPACES = {"nn.functional.": "F.", "linalg.": "torch.linalg.", "special.": "torch.special.", "fft.": "torch.fft."}


class Unsaid(Exception):
    """An argument that cannot be written as text."""


def samples() -> Any:
    if "expecttest" not in sys.modules:  # torch's tests need it; their samples do not
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules.setdefault("expecttest", stub)
    from torch.testing._internal.common_methods_invocations import op_db

    for operator in op_db:
        if LEFT_OUT.search(operator.name):
            continue
        for dtype in MOST_CALLS:
            if dtype in operator.dtypes:
                yield operator, dtype


class Call:
    """A call as text; `{0}`, `{1}` … stand for its tensors."""

    def __init__(self, name: str, method: bool, sample: Any) -> None:
        self.tensors: list[torch.Tensor] = []
        given = [self.said(sample.input), *map(self.said, sample.args)]
        if "device" in sample.kwargs:
            raise Unsaid  # programs name no device
        named = [f"{key}={self.said(value)}" for key, value in sample.kwargs.items()]
        if method:
            self.text = f"{given[0]}.{name}({', '.join([*given[1:], *named])})"
        else:
            self.text = f"{name}({', '.join([*given, *named])})"

    def said(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            plain = value.layout == torch.strided and value.numel() <= MOST_ELEMENTS and not value.is_quantized
            if not plain:
                raise Unsaid
            self.tensors.append(value)
            return "{" + str(len(self.tensors) - 1) + "}"
        if isinstance(value, (list, tuple)):
            inner = ", ".join(map(self.said, value))
            if isinstance(value, list):
                return f"[{inner}]"
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, float) and not abs(value) < float("inf"):
            return f'float("{value}")'
        if isinstance(value, (bool, int, float, complex, type(None))):
            return repr(value)
        if (
            isinstance(value, str)
            and value.replace("_", "").replace("-", "").replace(",", "").replace(">", "").isalnum()
        ):
            return json.dumps(value)
        if isinstance(value, (torch.dtype, torch.memory_format)):
            return str(value)
        if isinstance(value, slice):
            return f"slice({value.start}, {value.stop}, {value.step})"
        raise Unsaid

    def described(self) -> dict[str, Any]:
        return {"text": self.text, "tensors": [described(tensor) for tensor in self.tensors]}


def described(tensor: torch.Tensor) -> list[Any]:
    """Shape, dtype and, for whole numbers, the range; for floats whether none is negative."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.dtype.is_floating_point:
        positive = tensor.numel() > 0 and bool((tensor >= 0).all())
        return [list(tensor.shape), dtype, [0, 1] if positive else [-1, 1]]
    if tensor.dtype.is_complex or tensor.dtype == torch.bool or tensor.numel() == 0:
        return [list(tensor.shape), dtype, [0, 1]]
    return [list(tensor.shape), dtype, [int(tensor.min()), int(tensor.max())]]


def names(operator: Any) -> list[tuple[str, bool]]:
    """The names by which Python may call it, each with whether it is a method."""
    for space, short in SPACES.items():
        if operator.name.startswith(space):
            return [(short + operator.name.removeprefix(space), False)]
    plain = operator.name
    found = [("torch." + plain, False)] if hasattr(torch, plain) else []
    found += [(plain, True)] if hasattr(torch.Tensor, plain) else []
    in_place = getattr(operator.inplace_variant, "__name__", "")
    return found + ([(in_place, True)] if in_place.isidentifier() and not in_place.startswith("_") else [])


def made(shape: list[int], dtype: str, low: int, high: int) -> torch.Tensor:
    kind = getattr(torch, dtype)
    if dtype == "bool":
        return torch.rand(shape) > 0.5
    if kind.is_floating_point or kind.is_complex:
        return (torch.randn(shape) if low < 0 or kind.is_complex else torch.rand(shape)).to(kind)
    return torch.randint(low, high + 1, shape, dtype=kind)


def runs_alike(call: dict[str, Any]) -> bool:
    results = []
    for _ in range(2):
        torch.manual_seed(1)
        tensors = {f"t{n}": made(shape, dtype, *span) for n, (shape, dtype, span) in enumerate(call["tensors"])}
        text = call["text"].format(*tensors)
        torch.manual_seed(len(results))
        results.append(eval(text, {"torch": torch, "F": torch.nn.functional, **tensors}))
    flat = [[t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor)] for result in results]
    plain = all(t.layout == torch.strided and t.numel() <= MOST_ELEMENTS for t in flat[0])
    same = all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(*flat, strict=True))
    return bool(flat[0]) and plain and same


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    calls: dict[str, list[dict[str, Any]]] = {}
    for operator, dtype in samples():
        try:
            looked_at = list(itertools.islice(operator.sample_inputs("cpu", dtype), SAMPLES_LOOKED_AT))
        except Exception:  # a sample generator may need something that is not installed
            continue
        for name, method in names(operator):
            kept, most = 0, MOST_CALLS[dtype]
            step = max(1, len(looked_at) // most)
            for sample in looked_at[::step] + looked_at[:most]:
                try:
                    call = Call(name, method, sample).described()
                    good = kept < most and call not in calls.get(name, []) and runs_alike(call)
                except Exception:  # no text for it, no kernel, not callable by that name
                    continue
                if good:
                    kept += 1
                    calls.setdefault(name, []).append(call)
    lines = [f"{json.dumps(name)}: {json.dumps(calls[name], separators=(',', ':'))}" for name in sorted(calls)]
    out = pathlib.Path(__file__).with_name("operators.json")
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    print(f"{len(calls)} names, {sum(map(len, calls.values()))} calls, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
