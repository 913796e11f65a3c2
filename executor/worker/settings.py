"""Global values of torch and Python that a program may set and that can be written back."""

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.utils._device
import torch.utils.deterministic

_SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCHLD,
    signal.SIGPIPE,
)


class Setting:
    """One global value of torch or Python, read and written back by name."""

    def __init__(self, name: str, read: Callable[[], Any], write: Callable[[Any], Any]) -> None:
        self.name, self.read, self.write = name, read, write


def _attribute(owner: Any, name: str) -> Setting:
    return Setting(f"{owner.__name__}.{name}", lambda: getattr(owner, name), lambda value: setattr(owner, name, value))


def _write_environment(wanted: dict[str, str]) -> None:
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _write_signals(wanted: list[Any]) -> None:
    for number, handler in zip(_SIGNALS, wanted, strict=True):
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _write_autocast(wanted: list[tuple[bool, torch.dtype]]) -> None:
    for device, (enabled, dtype) in zip(("cpu", "cuda"), wanted, strict=True):
        torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_dtype(device, dtype)


def _write_deterministic(wanted: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(wanted[0], warn_only=wanted[1])


def _default_device() -> Any:
    return torch.utils._device.CURRENT_DEVICE


def _flushes_denormals() -> bool:
    return bool(torch.tensor(1e-38, dtype=torch.float32).div(10).item() == 0.0)


def _write_filters(wanted: list[Any]) -> None:
    warnings.filters[:] = wanted
    warnings._filters_mutated()


def _write_streams(wanted: tuple[Any, Any, Any]) -> None:
    sys.stdin, sys.stdout, sys.stderr = wanted


SETTINGS = [
    Setting("default dtype", torch.get_default_dtype, torch.set_default_dtype),
    Setting("default device", _default_device, torch.set_default_device),
    Setting("grad mode", torch.is_grad_enabled, torch._C._set_grad_enabled),
    Setting(
        "deterministic algorithms",
        lambda: (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()),
        _write_deterministic,
    ),
    Setting("matmul precision", torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    Setting("threads", torch.get_num_threads, torch.set_num_threads),
    Setting("anomaly mode", torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    Setting(
        "autocast",
        lambda: [(torch.is_autocast_enabled(d), torch.get_autocast_dtype(d)) for d in ("cpu", "cuda")],
        _write_autocast,
    ),
    Setting("autocast cache", torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    _attribute(torch.utils.deterministic, "fill_uninitialized_memory"),
    Setting("flush denormal", _flushes_denormals, torch.set_flush_denormal),
    Setting("mkldnn", torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
    Setting("cudnn", torch._C._get_cudnn_enabled, torch._C._set_cudnn_enabled),
    Setting("cudnn benchmark", torch._C._get_cudnn_benchmark, torch._C._set_cudnn_benchmark),
    Setting("environment", lambda: dict(os.environ), _write_environment),
    Setting("working directory", os.getcwd, os.chdir),
    Setting("sys.path", lambda: list(sys.path), lambda value: sys.path.__setitem__(slice(None), value)),
    Setting("sys.argv", lambda: list(sys.argv), lambda value: setattr(sys, "argv", value)),
    Setting("warning filters", lambda: list(warnings.filters), _write_filters),
    Setting("signal handlers", lambda: [signal.getsignal(number) for number in _SIGNALS], _write_signals),
    Setting("recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    Setting("garbage collection", gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    Setting(
        "standard streams",
        lambda: (sys.stdin, sys.stdout, sys.stderr),
        _write_streams,
    ),
]
