"""PyTorch's own verdict, torch._dynamo.utils.same, over the output leaves of artefact files. Runs no program."""

import json
import math
import os
from typing import Any

import torch

_MARK = b"PDRUN1\n"
# Fields that are false, zero or empty are left out of a header.
_LEFT_OUT = {"is_tensor": False, "type": "", "value": "", "shape": [], "stride": [], "offset": 0, "storage": -1}
_LARGEST = 512 << 20


def _read(path: str) -> tuple[dict[str, Any], bytes]:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > _LARGEST:
            raise ValueError(f"{path} is too large")
        data = file.read()
    if not data.startswith(_MARK):
        raise ValueError(f"{path} is no artefact")
    size = int(data[len(_MARK) : len(_MARK) + 16], 16)
    start = len(_MARK) + 17
    return json.loads(data[start : start + size]), data


def _tensor(leaf: dict[str, Any], header: dict[str, Any], data: bytes) -> torch.Tensor:
    dtype = getattr(torch, leaf["dtype"])
    shape, stride = leaf["shape"], leaf["stride"]
    if math.prod(shape) == 0:
        return torch.empty(shape, dtype=dtype)
    place = header["storages"][leaf["storage"]]
    raw = data[place["at"] : place["at"] + place["size"]]
    last = leaf["offset"] + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    element = torch.empty(0, dtype=dtype).element_size()
    if leaf["offset"] < 0 or min(stride, default=0) < 0 or (last + 1) * element > len(raw):
        raise ValueError(f"{leaf['path']} points outside its storage")
    flat = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
    tensor = torch.empty(0, dtype=dtype).set_(flat.untyped_storage(), leaf["offset"], shape, stride)
    if leaf.get("conjugate"):
        tensor = torch._conj(tensor)
    return torch._neg_view(tensor) if leaf.get("negative") else tensor


def outputs_of(path: str) -> dict[str, Any]:
    """Output leaves by path: a tensor, or the text of any other value."""
    header, data = _read(path)
    found: dict[str, Any] = {}
    for leaf in ({**_LEFT_OUT, **entry} for entry in header["leaves"]):
        if leaf["group"] != "output":
            continue
        if not leaf["is_tensor"]:
            found[leaf["path"]] = f"{leaf['type']} {leaf['value']}"
        elif leaf["storage"] >= 0:
            found[leaf["path"]] = _tensor(leaf, header, data)
    return found


def judge(expected: str, actual: str, reference: str) -> tuple[bool | None, str]:
    from torch._dynamo.utils import same

    left, right = outputs_of(expected), outputs_of(actual)
    middle = outputs_of(reference) if reference else None
    if left.keys() != right.keys():
        return False, "the outputs have other leaves"
    if middle is not None and middle.keys() != left.keys():
        middle = None
    order = list(left)
    try:
        verdict = same(
            [left[path] for path in order],
            [right[path] for path in order],
            None if middle is None else [middle[path] for path in order],
            equal_nan=True,
        )
    except Exception as error:  # it raises on what it does not know; that is no verdict
        return None, f"{type(error).__name__}: {error}"[:500]
    return bool(verdict), "" if middle is not None else "no double reference"
