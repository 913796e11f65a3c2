"""What a program may change and cannot be restored: found by comparison with the state before any program."""

import _thread
import builtins
import codecs
import contextlib
import encodings
import gc
import math
import os
import random
import stat
import sys
import sysconfig
import types
from collections.abc import Callable
from typing import Any

import parityd_worker
import torch
import worker_path

# Names that normal use rebinds.
RESTLESS = ["_warnings_registry", "__warningregistry__", "__builtins__", "_", "cached_backends", "_current"]
_INSTALLED = tuple(
    {os.path.realpath(path) + os.sep for path in (*sysconfig.get_paths().values(), os.path.dirname(torch.__file__))}
)


def is_foreign(module: Any) -> bool:
    """Made by a program or by the compiler for it; not part of the installation."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return getattr(module, "__spec__", None) is None
    return not os.path.realpath(file).startswith(_INSTALLED)


def optional(read: Callable[[], Any]) -> Any:
    """A value that this torch may lack."""
    try:
        return read()
    except (AttributeError, RuntimeError, KeyError, TypeError):
        return None


class Code:
    """Every name that stands for code. The nearest are checked after each program, all others from time to time."""

    def __init__(self) -> None:
        self.near = parityd_worker.NamespaceWatch()
        self.far = parityd_worker.NamespaceWatch()
        self._seen: set[int] = set()
        scope = parityd_worker.Scope
        for owner in (torch.Tensor, torch.nn.Module):
            self._add(self.near, owner.__qualname__, owner, scope.closed)
        self._add(self.near, "builtins", vars(builtins), scope.closed)
        for module in _strict_modules():
            self._add(self.near, module.__name__, vars(module), scope.names)
        for name, owner in own_classes():
            self._add(self.near, name, owner, scope.code)
        installed = {name: module for name, module in sys.modules.items() if not is_foreign(module)}
        self.near.add("sys.modules", sys.modules, scope.names, [name for name in sys.modules if name not in installed])
        for name, module in installed.items():
            self._add(self.far, name, getattr(module, "__dict__", None), scope.code)
        for name, module in installed.items():
            if name.startswith("torch"):
                for value in list(vars(module).values()):
                    if issubclass(type(value), type):  # isinstance would ask the value, and some then warn
                        self._add(self.far, f"{value.__module__}.{value.__qualname__}", value, scope.code)

    def _add(self, watch: Any, name: str, owner: Any, scope: Any) -> None:
        if type(owner) is dict or isinstance(owner, type):
            space = id(owner)
            if space not in self._seen:
                self._seen.add(space)
                optional(lambda: _add_if_assignable(watch, name, owner, scope))


def own_modules() -> list[types.ModuleType]:
    """The harness's: everything in the worker's folder or shared with others, and the module written in C++."""
    folders = tuple(os.path.realpath(folder) + os.sep for folder in (worker_path.WORKER, worker_path.SHARED))
    files = ((module, getattr(module, "__file__", None)) for module in list(sys.modules.values()))
    own = [module for module, file in files if isinstance(file, str) and os.path.realpath(file).startswith(folders)]
    return [parityd_worker, *own]


def own_classes() -> list[tuple[str, type]]:
    named = ((module, value) for module in own_modules() for value in list(vars(module).values()))
    return [
        (f"{module.__name__}.{value.__qualname__}", value)
        for module, value in named
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


def _add_if_assignable(watch: Any, name: str, owner: Any, scope: Any) -> None:
    with contextlib.suppress(ValueError):  # a class written in C, to which nothing can be assigned
        watch.add(name, owner, scope, RESTLESS)


def _strict_modules() -> list[types.ModuleType]:
    named = ("numpy", "numpy.random", "numpy.random.mtrand", "torch.nn.modules.module", "torch.testing")
    return [
        torch, torch.nn, torch.nn.functional, torch.linalg, torch.fft, torch.special, torch.autograd, torch.random,
        torch.compiler, math, random, os, codecs, *(sys.modules[name] for name in named if name in sys.modules),
        *own_modules(),
    ]  # fmt: skip


class Facts:
    """Depths, counts and lists, each with the name shown in a reason."""

    def __init__(self, codec_tables: list[Any]) -> None:
        parityd_worker.watch_registrations()
        self._codecs = codec_tables
        self._before = self._read()

    def changes(self) -> list[str]:
        return [name for name, value in self._read().items() if value != self._before[name]]

    def _read(self) -> dict[str, Any]:
        hooks = vars(torch.nn.modules.module)
        return {
            "inference mode": torch.is_inference_mode_enabled(),
            "torch function modes": torch._C._len_torch_function_stack(),
            "torch dispatch modes": torch._C._len_torch_dispatch_stack(),
            "torch function state": optional(lambda: str(torch._C._get_torch_function_state())),
            "forward AD level": torch.autograd.forward_ad._current_level,
            "saved tensor hooks": optional(lambda: torch._C._autograd._top_saved_tensors_default_hooks(True))
            is not None,
            "dispatch keys": optional(
                lambda: (
                    torch._C._dispatch_tls_local_include_set().raw_repr(),
                    torch._C._dispatch_tls_local_exclude_set().raw_repr(),
                )
            ),
            "global module hooks": [
                len(v) for k, v in hooks.items() if k.startswith("_global_") and hasattr(v, "__len__")
            ],
            "dispatcher operators": parityd_worker.operators_defined(),
            "operator kernels": optional(lambda: (len(torch.library._impls), len(torch.library._defs))),
            "audit hooks": parityd_worker.audit_hooks_added(),
            "pytree nodes": len(torch.utils._pytree.SUPPORTED_NODES),
            "codecs": [len(table) for table in self._codecs],
            "threads alive": _thread._count(),
            "child processes": _children(),
            "open descriptors": _descriptors(),
        }


def codec_tables() -> list[Any]:
    """The interpreter's own list of search functions and its table of error handlers, which no function returns.
    Objects hidden by gc.freeze() are not found."""
    lists = [found for found in gc.get_referrers(encodings.search_function) if type(found) is list]
    tables = [found for found in gc.get_referrers(codecs.strict_errors) if type(found) is dict and "ignore" in found]
    return lists[:1] + [table for table in tables if "__name__" not in table][:1]


def _children() -> list[str]:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    return child_processes()


def child_processes() -> list[str]:
    found: list[str] = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
                found += file.read().split()
        except OSError:
            return ["unknown"]
    return found


def _descriptors() -> dict[int, tuple[int, int]]:
    """What the open descriptors refer to, except devices: drivers open theirs at any time."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            facts = os.fstat(int(name))
        except OSError:  # the one that listed them
            continue
        if not stat.S_ISCHR(facts.st_mode) or int(name) < 3:
            found[int(name)] = (facts.st_dev, facts.st_ino)
    return found
