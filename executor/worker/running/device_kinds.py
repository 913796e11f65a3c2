"""What torch offers for each device kind, from the rows of devices.json (docs/adding-a-device.md)."""

import importlib
import sys
from typing import Any

from device_table import ROWS, Row


class Kind:
    """If torch lacks a function, the call does nothing and reports nothing."""

    def __init__(self, row: Row) -> None:
        self.row = row
        if row.module:
            importlib.import_module(row.module)

    @property
    def is_gpu(self) -> bool:
        return bool(self.row.module)

    def is_available(self) -> bool:
        return self._call("is_available", True)

    def is_initialized(self) -> bool:
        return self._call("is_initialized", False)

    def synchronize(self) -> None:
        self._call("synchronize")

    def empty_cache(self) -> None:
        self._call("empty_cache")

    def reserved_bytes(self) -> int:
        return self._call("memory_reserved", 0)

    def free_bytes(self) -> int | None:
        """Free memory of the device, for all processes together."""
        told = self._call("mem_get_info")
        return told[0] if told else None

    def _call(self, function: str, otherwise: Any = None) -> Any:
        name = self.row.functions.get(function, function)
        return getattr(sys.modules[self.row.module], name)() if self.row.module and name else otherwise


KINDS = {name: Kind(row) for name, row in ROWS.items()}


def is_any_gpu_available() -> bool:
    return any(kind.is_gpu and kind.is_available() for kind in KINDS.values())


def in_use() -> list[Kind]:
    """Asking any other about its memory would initialise it."""
    return [kind for kind in KINDS.values() if kind.is_initialized()]
