"""State between two programs of one process: what is reset, what is restored, and what retires the worker."""

import contextlib
import gc
import linecache
import os
import signal
import sys
from typing import Any

import device_kinds
import parityd_worker
import torch
from fingerprint import Code, Facts, child_processes, codec_tables, is_foreign, optional
from process_settings import process_settings, stop_timers
from replaced_code import ReplacedCode
from settings import torch_settings
from tables import Tables

MOST_TOLD = 5  # of the changes, per kind
# A process accumulates what survives its programs (caches, modules imported late); collecting all of it each time took
# a seventh of the workers' time on a GPU.
PROGRAMS_BETWEEN_FULL_COLLECTIONS = 32


def _configs() -> list[Any]:
    from torch.utils import _config_module

    kind = getattr(_config_module, "ConfigModule", ())
    return [module for module in list(sys.modules.values()) if isinstance(module, kind)]


class Baseline:
    """The state before any program, taken once."""

    def __init__(self) -> None:
        codecs = codec_tables()
        gc.collect()
        gc.freeze()
        settings = [*torch_settings(), *process_settings()]
        self._settings = [(setting, setting.read()) for setting in settings]
        self._configs = [(config, config.get_config_copy()) for config in _configs()]
        self._tables = Tables()
        self._lines = dict(linecache.cache)
        self._modules = set(sys.modules)
        self.code = Code()
        self._facts = Facts(codecs)
        self.replaced_code = ReplacedCode(self.code, self._tables)
        self.native = parityd_worker.NativeState(not device_kinds.is_any_gpu_available())
        self._programs = 0

    def set_aside_survivors(self) -> None:
        """Between two programs, when nothing of the last one is held any more: the next one's collections skip what it
        left, except from time to time."""
        if self._programs % PROGRAMS_BETWEEN_FULL_COLLECTIONS == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()

    def restore(self) -> None:
        """Restores what a program may have changed. Cheap enough to run between two modes."""
        stop_timers()
        self.native.restore_environment()
        for setting, wanted in self._settings:
            if _differs(setting, wanted):
                with contextlib.suppress(Exception):  # changes() will name it
                    setting.write(wanted)
        for config, wanted in self._configs:
            current = config.get_config_copy()
            for name in [name for name, value in wanted.items() if name in current and current[name] != value]:
                optional(lambda config=config, name=name, wanted=wanted: setattr(config, name, wanted[name]))
        self._tables.restore()
        self._forget_modules()
        linecache.cache.clear()
        linecache.cache.update(self._lines)

    def _forget_modules(self) -> None:
        for name in [name for name in sys.modules if name not in self._modules]:
            if is_foreign(sys.modules[name]):
                del sys.modules[name]
            else:
                self._modules.add(name)

    def changes(self) -> list[str]:
        """What differs from the baseline and stays so: the process must not run another program."""
        self._programs += 1
        found = [setting.name for setting, wanted in self._settings if _differs(setting, wanted)]
        return [*found, *self.code.near.changed(MOST_TOLD), *self._facts.changes()]


def _differs(setting: Any, wanted: Any) -> bool:
    try:
        return bool(setting.read() != wanted)
    except Exception:  # for instance a working directory that is gone
        return True


def reset_torch() -> None:
    """Forgets what the compiler learnt from one run, so that the next one starts as in a fresh process."""
    import torch._dynamo
    from torch._dynamo.utils import clear_compilation_metrics, counters
    from torch._inductor import metrics, utils
    from torch._subclasses.fake_tensor import FakeTensorMode

    torch._dynamo.reset()
    counters.clear()
    metrics.reset()
    clear_compilation_metrics()
    FakeTensorMode.cache_clear()
    forget = "clear_caches" if hasattr(utils, "clear_caches") else "clear_inductor_caches"  # as until torch 2.6
    getattr(utils, forget)()
    gc.collect()
    for kind in device_kinds.in_use():
        kind.empty_cache()


def device_error() -> str:
    """Why a device's context is lost; empty: it is not. A lost context fails every later program of the process."""
    for kind in device_kinds.in_use():
        try:
            kind.synchronize()
            torch.zeros(1, device=kind.row.name).add_(1).item()
        except Exception as error:  # whatever it is, the process is lost
            return f"{kind.row.words} error: {error}".splitlines()[0][:300]
    return ""


# EAGAIN of fork() and of pthread_create() (setrlimit(2), RLIMIT_NPROC), in Python's words.
_NONE_LEFT = ("Resource temporarily unavailable", "can't start new thread")


def exhaustion(outcome: dict[str, Any]) -> str:
    """Why no process or thread can be started here; empty: they can. What uses up the limit may outlast its program."""
    message = outcome.get("error", {}).get("message", "")
    return "it cannot start more processes or threads" if any(words in message for words in _NONE_LEFT) else ""


def end_leftover_processes() -> None:
    """Ends the children that this process's children left behind, and their children, which then become its own."""
    for _ in range(100):
        pids = [int(pid) for pid in child_processes() if pid.isdigit()]
        if not pids:
            return
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ChildProcessError, ProcessLookupError, PermissionError):
                continue


def health(check_seconds: float) -> dict[str, Any]:
    """Values that the pool watches for growth. A program could falsify them: it would only keep its own worker
    alive."""
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/maps", "rb") as file:
        maps = file.read().count(b"\n")
    gpu = 0
    for kind in device_kinds.in_use():
        gpu += kind.reserved_bytes()  # without sum(), which a program may have replaced
    return {
        "resident_bytes": resident,
        "maps": maps,
        "gpu_bytes": gpu,
        "check_seconds": check_seconds,
        **free_on_device(),
    }


def free_on_device() -> dict[str, int]:
    """What is left on the device, for all processes together."""
    for kind in device_kinds.in_use():
        with contextlib.suppress(Exception):  # the context is lost, which its worker reports elsewhere
            if (free := kind.free_bytes()) is not None:
                return {"gpu_free_bytes": free}
    return {}
