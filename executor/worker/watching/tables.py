"""The compiler's tables: what stands for an operator. A program's own entries are taken out again, and replaced ones
are put back; what the installation itself adds later, stays."""

import sys
from typing import Any

import torch
from fingerprint import is_foreign

# The module and the name it has there; what an entry is, where it is torch's code.
_TABLES = (
    ("torch._inductor.lowering", "lowerings", "lowering"),
    ("torch._inductor.decomposition", "decompositions", "decomposition"),
    ("torch._dynamo.backends.registry", "_COMPILER_FNS", ""),
    ("torch._dynamo.backends.registry", "_BACKENDS", ""),
    ("torch._subclasses.fake_impls", "op_implementations_dict", ""),  # an export takes entries out and leaves it so
    ("copyreg", "dispatch_table", ""),
)


class Tables:
    def __init__(self) -> None:
        found = [(getattr(sys.modules.get(module), name, None), holds) for module, name, holds in _TABLES]
        all_decompositions = getattr(torch._decomp, "global_decomposition_table", {})
        found += [(table, "decomposition") for table in all_decompositions.values()]
        self._tables = [(table, dict(table), holds) for table, holds in found if isinstance(table, dict)]

    def replaced(self) -> list[str]:
        """What stands for an operator by a program's doing, as "lowering aten.exp.default"."""
        found = []
        for table, wanted, holds in self._tables:
            if holds and not _unchanged(table, wanted):
                for key, value in table.items():
                    if wanted.get(key) is not value and (key in wanted or _is_foreign_code(value)):
                        found.append(f"{holds} {key}"[:100])
        return found

    def restore(self) -> None:
        for table, wanted, _ in self._tables:
            if _unchanged(table, wanted):
                continue
            for key in [key for key in table if key not in wanted]:
                if _is_foreign_code(table[key]):
                    del table[key]
                else:
                    wanted[key] = table[key]
            for key, value in wanted.items():
                if table.get(key) is not value:
                    table[key] = value


def _unchanged(table: dict, wanted: dict) -> bool:
    return len(table) == len(wanted) and all(map(_is, table.values(), wanted.values()))


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
