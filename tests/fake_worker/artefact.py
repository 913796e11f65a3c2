"""Canned artefact files (docs/protocol.md "Artefacts"): one input element and one output element."""

import json
import os
import struct

import evidence
from directives import Directives
from mode_table import ROWS

MAGIC = b"PDRUN1\n"


def leaf(path: str, group: str, dtype: str, storage: int) -> dict:
    return {
        "path": path,
        "group": group,
        "is_tensor": True,
        "type": "Tensor",
        "value": "",
        "dtype": dtype,
        "shape": [1],
        "stride": [1],
        "offset": 0,
        "storage": storage,
        "requires_grad": False,
        "conjugate": False,
        "negative": False,
    }


def header_for(mode: str, told: dict, places: list[int], size: int) -> bytes:
    dtype = "float64" if ROWS[mode].in_double else "float32"
    leaves = []
    if told["kind"] == "ran":
        leaves = [leaf("input[0]", "input", dtype, 0), leaf("output", "output", dtype, 1)]
    storages = [{"at": at, "size": size} for at in places] if leaves else []
    return json.dumps({"mode": mode, "outcome": told, "leaves": leaves, "storages": storages}).encode()


def write(folder: str, mode: str, directives: Directives) -> None:
    told = evidence.outcome(mode, directives)
    size = 8 if ROWS[mode].in_double else 4
    start = 4096
    places = [start, start + 64]
    header = header_for(mode, told, places, size)
    content = MAGIC + b"%016x\n" % len(header) + header
    assert len(content) <= start, "a header longer than the room for it"
    if told["kind"] == "ran":
        form = "<d" if ROWS[mode].in_double else "<f"
        content = content.ljust(start, b"\0") + struct.pack(form, 1.0).ljust(64, b"\0")
        content += struct.pack(form, directives.value(mode))
    os.makedirs(folder, exist_ok=True)
    unfinished = os.path.join(folder, f".{mode}.tmp")
    with open(unfinished, "wb") as file:
        file.write(content)
    os.rename(unfinished, os.path.join(folder, f"{mode}.run"))
