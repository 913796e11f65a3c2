"""The compiler's tables of what stands for an operator. A program's own entries are removed, and replaced ones
restored; what the installation itself adds later stays."""

import sys
from typing import Any

import torch
from fingerprint import is_foreign

# The module, the table's name in it, and what an entry is called if it is torch's code.
_TABLES = (
    ("torch._inductor.lowering", "lowerings", "lowering"),
    ("torch._inductor.decomposition", "decompositions", "decomposition"),
    ("torch._dynamo.backends.registry", "_COMPILER_FNS", ""),
    ("torch._dynamo.backends.registry", "_BACKENDS", ""),
    # an export removes entries and does not restore them
    ("torch._subclasses.fake_impls", "op_implementations_dict", ""),
    ("copyreg", "dispatch_table", ""),
)


class Tables:
    def __init__(self) -> None:
        found = [(getattr(sys.modules.get(module), name, None), holds) for module, name, holds in _TABLES]
        all_decompositions = getattr(torch._decomp, "global_decomposition_table", {})
        found += [(table, "decomposition") for table in all_decompositions.values()]
        self._tables = [(table, dict(table), holds) for table, holds in found if isinstance(table, dict)]

    def replaced(self) -> list[str]:
        """What a program replaced, as "lowering aten.exp.default"."""
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
    """Judged by where its code is: functools.wraps copies another function's module to it."""
    code = getattr(value, "__code__", None)
    if code is not None:
        module = next((m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == code.co_filename), None)
        return module is None or is_foreign(module)
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    return module is None or is_foreign(module)
