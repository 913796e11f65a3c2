"""The compiler's tables: what stands for an operator. A program's own entries are taken out again, and replaced ones
are put back; what the installation itself adds later, stays."""

import sys
from typing import Any

import torch
from fingerprint import is_foreign

_TABLES = (
    ("torch._inductor.lowering", "lowerings"),
    ("torch._inductor.decomposition", "decompositions"),
    ("torch._dynamo.backends.registry", "_COMPILER_FNS"),
    ("torch._dynamo.backends.registry", "_BACKENDS"),
    ("copyreg", "dispatch_table"),
)


class Tables:
    def __init__(self) -> None:
        found = [getattr(sys.modules.get(module), name, None) for module, name in _TABLES]
        found += list(getattr(torch._decomp, "global_decomposition_table", {}).values())
        self._tables = [(table, dict(table)) for table in found if isinstance(table, dict)]

    def restore(self) -> None:
        for table, wanted in self._tables:
            if len(table) == len(wanted) and all(map(_is, table.values(), wanted.values())):
                continue
            for key in [key for key in table if key not in wanted]:
                if _is_foreign_code(table[key]):
                    del table[key]
                else:
                    wanted[key] = table[key]
            for key, value in wanted.items():
                if table.get(key) is not value:
                    table[key] = value


def _is(left: Any, right: Any) -> bool:
    return left is right


def _is_foreign_code(value: Any) -> bool:
    """By where its code lies: functools.wraps gives a function another's module."""
    code = getattr(value, "__code__", None)
    if code is not None:
        module = next((m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == code.co_filename), None)
        return module is None or is_foreign(module)
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    return module is None or is_foreign(module)
