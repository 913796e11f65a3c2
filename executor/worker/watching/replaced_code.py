"""Which of torch's own code a program replaced while it ran: the results then say nothing about anyone else's torch.

Determined by identity, against the state before any program: names of torch's modules and classes, entries of the
compiler's tables, kernels of torch's own operators, Inductor's settings beyond the program's OPTIONS. Checked after
each mode, before anything is restored."""

import functools
import inspect
import sys
from typing import Any

import torch
from fingerprint import Code, optional
from tables import Tables

MOST = 8
PROGRAM_MODULE = "parityd_program"  # the module that every program becomes (program.py)
# The name a NamespaceWatch uses for what it watches, and the one people know.
_FOLLOWS = "torch.Storage"  # the default dtype, which programs may set
_WATCHED = {"torch.": "torch.", "Tensor.": "torch.Tensor.", "Module.": "torch.nn.Module."}


class ReplacedCode:
    """Constructed once per process, before any program has run in it."""

    def __init__(self, code: Code, tables: Tables) -> None:
        self._code = code
        self._tables = tables
        self._kernels = _kernels()
        self._settings = _settings()

    def names(self, everywhere: bool) -> list[str]:
        """The first few: "torch.relu", "lowering aten.exp.default", "torch._inductor.config.max_fusion_size".
        `everywhere`: in all of torch's modules, which takes milliseconds, not only in the most used ones."""
        found = [*self._near(), *(self._far() if everywhere else ()), *self._tables.replaced()]
        found += [f"kernel {name}" for name in sorted(_kernels() - self._kernels)]
        found += [f"torch._inductor.config.{k}" for k, v in _settings().items() if self._settings.get(k, v) != v]
        return sorted(set(found))[:MOST]

    def _near(self) -> list[str]:
        """Names rebound to anything at all: normal use never does that here."""
        names = self._code.near.changed(MOST)
        known = ((name, start) for name in names for start in _WATCHED if name.startswith(start))
        return [_WATCHED[start] + name.removeprefix(start) for name, start in known if name != _FOLLOWS]

    def _far(self) -> list[str]:
        """Names rebound to the program's code: torch's own modules rebind some names as they compile."""
        names = (name for name in self._code.far.changed(MOST) if name.startswith("torch."))
        return [name for name in names if _is_programs(_value(name))]


def _kernels() -> set[str]:
    """Kernels of torch's own operators, as "aten/relu/CPU", except those that torch.vmap adds at its first use."""
    added = {name for name in optional(lambda: torch.library._impls) or () if name.startswith("aten/")}
    for module in ("torch._functorch.predispatch", "torch._functorch.vmap"):  # the latter until torch 2.11
        library = getattr(sys.modules.get(module), "VMAP_DECOMPOSITIONS_LIB", None)
        added -= getattr(library, "_op_impls", set())
    return added


def _settings() -> dict[str, Any]:
    config = sys.modules.get("torch._inductor.config")
    return config.get_config_copy() if config is not None else {}


def _value(name: str) -> Any:
    """The object behind a dotted name of a module or of a class in one; runs no code."""
    words = name.split(".")
    for size in range(len(words) - 1, 0, -1):
        module = sys.modules.get(".".join(words[:size]))
        if module is not None:
            return functools.reduce(lambda value, word: inspect.getattr_static(value, word, None), words[size:], module)
    return None


def _is_programs(value: Any) -> bool:
    for wrapped in ("__func__", "fget", "func"):  # class and static methods, properties, partial functions
        value = getattr(value, wrapped, value)
    if inspect.isfunction(value):
        # functools.wraps copies another function's module to it
        return value.__globals__.get("__name__") == PROGRAM_MODULE
    return PROGRAM_MODULE in (getattr(value, "__module__", ""), type(value).__module__)
