"""State between two programs of one process (reset, restore) and a fingerprint of what cannot be restored."""

import builtins
import gc
import math
import os
import random
import signal
import sys
import sysconfig
import threading
from collections.abc import Callable
from typing import Any

import torch
from settings import SETTINGS, Setting


def _namespaces() -> dict[str, dict[str, Any]]:
    watched = (
        torch, torch.nn, torch.nn.functional, torch.linalg, torch.fft, torch.special, torch.Tensor, torch.nn.Module,
        torch.autograd, torch.random, torch.compiler, builtins, math, random, os, sys.modules[__name__],
    )  # fmt: skip
    spaces = {getattr(owner, "__qualname__", None) or owner.__name__: vars(owner) for owner in watched}
    for name in ("numpy", "torch._dynamo.eval_frame", "torch._inductor.lowering"):
        if name in sys.modules:
            spaces[name] = vars(sys.modules[name])
    return spaces


_CLASSES = {torch.Tensor.__qualname__, torch.nn.Module.__qualname__}
# Names that honest use rebinds.
_RESTLESS = {"_warnings_registry", "__warningregistry__", "__builtins__", "_", "environ", "cached_backends"}


def _optional(read: Callable[[], Any]) -> Any:
    """A value that this torch may lack."""
    try:
        return read()
    except (AttributeError, RuntimeError, KeyError):
        return None


def _configs() -> list[Any]:
    names = ("torch._dynamo.config", "torch._functorch.config", "torch._inductor.config", "torch.compiler.config")
    return [sys.modules[name] for name in names if name in sys.modules]


class Baseline:
    """The state before any program, taken once; afterwards restore() and fingerprint() refer to it."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()
        self._settings = {setting.name: setting.read() for setting in SETTINGS}
        self._configs = [config.get_config_copy() for config in _configs()]
        self._modules = set(sys.modules)
        self._names = {space: dict(names) for space, names in _namespaces().items()}
        self._rest = _unrestorable()
        self._threads = threading.enumerate()

    def restore(self) -> None:
        """Writes back what a program may have left. Cheap enough for between two modes."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        for setting in SETTINGS:
            wanted = self._settings[setting.name]
            try:
                if setting.read() != wanted:
                    setting.write(wanted)
            except Exception:  # the fingerprint will name it
                continue
        for config, wanted in zip(_configs(), self._configs, strict=False):
            current = config.get_config_copy()
            for name in [name for name, value in wanted.items() if name in current and current[name] != value]:
                _optional(lambda config=config, name=name, wanted=wanted: setattr(config, name, wanted[name]))
        for name in [name for name in sys.modules if name not in self._modules and _is_foreign(sys.modules[name])]:
            del sys.modules[name]

    def changes(self) -> list[str]:
        """What differs from the baseline and stays so: the process must not run another program."""
        found = [setting.name for setting in SETTINGS if self._still_differs(setting)]
        for space, names in self._names.items():
            current = _namespaces().get(space, {})
            changed = [name for name in names if current.get(name) is not names[name] and name not in _RESTLESS]
            if space in _CLASSES:  # an added attribute hides an inherited one; modules import lazily and may grow
                changed += [name for name in current if name not in names and not name.startswith("__")]
            found += [f"{space}.{name}" for name in changed[:5]]
        rest = _unrestorable()
        found += [name for name, value in rest.items() if value != self._rest[name]]
        if any(thread not in self._threads for thread in threading.enumerate()):
            found.append("threads alive")
        return found

    def _still_differs(self, setting: Setting) -> bool:
        try:
            return bool(setting.read() != self._settings[setting.name])
        except Exception:  # for instance a working directory that is gone
            return True


def _unrestorable() -> dict[str, Any]:
    hooks = torch.nn.modules.module
    return {
        "inference mode": torch.is_inference_mode_enabled(),
        "torch function modes": torch._C._len_torch_function_stack(),
        "torch dispatch modes": torch._C._len_torch_dispatch_stack(),
        "forward AD level": torch.autograd.forward_ad._current_level,
        "saved tensor hooks": _optional(lambda: torch._C._autograd._top_saved_tensors_default_hooks(True)) is not None,
        "global module hooks": [
            len(v) for k, v in sorted(vars(hooks).items()) if k.startswith("_global_") and hasattr(v, "__len__")
        ],
        "dispatcher operators": len(torch._C._dispatch_get_all_op_names()),
        "pytree nodes": len(torch.utils._pytree.SUPPORTED_NODES),
        "child processes": _children(),
        "compiler tables": _compiler_tables(),
    }


def _compiler_tables() -> tuple[int, ...]:
    lowering = sys.modules.get("torch._inductor.lowering")
    decompositions = sys.modules.get("torch._inductor.decomposition")
    return (
        len(lowering.lowerings) if lowering else 0,
        len(decompositions.decompositions) if decompositions else 0,
    )


def _children() -> list[str]:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    try:
        with open(f"/proc/self/task/{threading.get_native_id()}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return ["unknown"]


_INSTALLED = tuple(
    {os.path.realpath(path) + os.sep for path in (*sysconfig.get_paths().values(), os.path.dirname(torch.__file__))}
)


def _is_foreign(module: Any) -> bool:
    """Made by a program or by the compiler for it, not part of the installation."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return getattr(module, "__spec__", None) is None
    return not os.path.realpath(file).startswith(_INSTALLED)


def reset_torch() -> None:
    """Forgets what the compiler learnt from one run, so that the next one starts as in a fresh process."""
    import torch._dynamo
    from torch._dynamo.utils import clear_compilation_metrics, counters
    from torch._inductor import metrics
    from torch._inductor.utils import clear_caches
    from torch._subclasses.fake_tensor import FakeTensorMode

    torch._dynamo.reset()
    counters.clear()
    metrics.reset()
    clear_compilation_metrics()
    FakeTensorMode.cache_clear()
    clear_caches()
    gc.collect()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def cuda_error() -> str:
    """Why the CUDA context is lost, or nothing. A lost context fails every later program of the process."""
    if not torch.cuda.is_initialized():
        return ""
    try:
        torch.cuda.synchronize()
        torch.zeros(1, device="cuda").add_(1).item()
    except Exception as error:  # whatever it is, the process is done
        return f"CUDA error: {error}".splitlines()[0][:300]
    return ""


def health(check_seconds: float) -> dict[str, Any]:
    """What the pool watches for growth. A program could lie here: it would only keep its own worker alive."""
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/maps", "rb") as file:
        maps = file.read().count(b"\n")
    gpu = torch.cuda.memory_reserved() if torch.cuda.is_initialized() else 0
    return {"resident_bytes": resident, "maps": maps, "gpu_bytes": gpu, "check_seconds": check_seconds}
