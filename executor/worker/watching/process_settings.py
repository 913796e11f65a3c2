"""Global values of Python and of the process that a program may set and that can be restored."""

import contextlib
import decimal
import gc
import locale
import logging
import os
import resource
import signal
import sys
import threading
import time
import warnings
from typing import Any

from settings import Setting, attribute

_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
_ENVIRON = os.environ
_LIMITS = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]


def _write_environment(wanted: dict[str, str]) -> None:
    os.environ = _ENVIRON  # noqa: B003 - a program may have bound the name to something else
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    time.tzset()


def _handlers() -> list[Any]:
    return [signal.getsignal(number) for number in _SIGNALS]


def _write_handlers(wanted: list[Any]) -> None:
    for number, now, handler in zip(_SIGNALS, _handlers(), wanted, strict=True):
        if now is not handler:  # Python cannot restore faulthandler's
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _umask() -> int:
    now = os.umask(0o77)
    os.umask(now)
    return now


def _write_limits(wanted: list[tuple[int, int]]) -> None:
    for limit, value in zip(_LIMITS, wanted, strict=True):
        if resource.getrlimit(limit) != value:
            resource.setrlimit(limit, value)


def _write_filters(wanted: list[Any]) -> None:
    warnings.filters[:] = wanted
    warnings._filters_mutated()  # type: ignore[attr-defined]


def _write_streams(wanted: tuple[Any, Any, Any]) -> None:
    sys.stdin, sys.stdout, sys.stderr = wanted


def _write_trace(wanted: Any) -> None:
    sys.settrace(wanted)
    threading.settrace(wanted)


def _write_profile(wanted: Any) -> None:
    sys.setprofile(wanted)
    threading.setprofile(wanted)


def _event_loop_policy() -> Any:
    events = sys.modules.get("asyncio.events")
    return getattr(events, "_event_loop_policy", None)


def _write_event_loop_policy(wanted: Any) -> None:
    sys.modules["asyncio.events"]._event_loop_policy = wanted  # type: ignore[attr-defined]


def _write_decimal(wanted: str) -> None:
    decimal.setcontext(eval(wanted, {"__builtins__": {}}, vars(decimal)))


def _logging() -> tuple[Any, ...]:
    root = logging.root
    return root.level, tuple(root.handlers), root.disabled, root.manager.disable, logging.raiseExceptions


def _write_logging(wanted: tuple[Any, ...]) -> None:
    root = logging.root
    root.level, root.disabled, root.manager.disable = wanted[0], wanted[2], wanted[3]
    root.handlers[:] = wanted[1]
    logging.raiseExceptions = wanted[4]
    root.manager._clear_cache()  # type: ignore[attr-defined]


def _list(name: str, owner: Any, field: str) -> Setting:
    """A list that must stay the same object."""
    original = getattr(owner, field)

    def write(wanted: Any) -> None:
        original[:] = wanted
        setattr(owner, field, original)

    return Setting(name, lambda: list(getattr(owner, field)), write)


def process_settings() -> list[Setting]:
    settings = [
        Setting("environment", lambda: dict(os.environ), _write_environment),
        Setting("time zone", lambda: time.tzname, lambda _: time.tzset()),
        Setting("working directory", os.getcwd, os.chdir),
        Setting("file mode mask", _umask, os.umask),
        Setting("resource limits", lambda: [resource.getrlimit(limit) for limit in _LIMITS], _write_limits),
        Setting("processors", lambda: os.sched_getaffinity(0), lambda cpus: os.sched_setaffinity(0, cpus)),
        Setting(
            "priority",
            lambda: os.getpriority(os.PRIO_PROCESS, 0),
            lambda value: os.setpriority(os.PRIO_PROCESS, 0, value),
        ),
        _list("sys.path", sys, "path"),
        _list("sys.argv", sys, "argv"),
        _list("sys.meta_path", sys, "meta_path"),
        _list("sys.path_hooks", sys, "path_hooks"),
        Setting("warning filters", lambda: list(warnings.filters), _write_filters),
        Setting("signal handlers", _handlers, _write_handlers),
        Setting(
            "signal mask",
            lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
            lambda mask: signal.pthread_sigmask(signal.SIG_SETMASK, mask),
        ),
        Setting("recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
        Setting("switch interval", sys.getswitchinterval, sys.setswitchinterval),
        Setting("garbage collection", gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
        Setting("garbage thresholds", gc.get_threshold, lambda value: gc.set_threshold(*value)),
        Setting("garbage debugging", gc.get_debug, gc.set_debug),
        Setting(
            "garbage callbacks", lambda: list(gc.callbacks), lambda value: gc.callbacks.__setitem__(slice(None), value)
        ),
        Setting("standard streams", lambda: (sys.stdin, sys.stdout, sys.stderr), _write_streams),
        Setting("trace function", sys.gettrace, _write_trace),
        Setting("profile function", sys.getprofile, _write_profile),
        Setting(
            "locale", lambda: locale.setlocale(locale.LC_ALL), lambda value: locale.setlocale(locale.LC_ALL, value)
        ),
        Setting("event loop policy", _event_loop_policy, _write_event_loop_policy),
        Setting("decimal context", lambda: repr(decimal.getcontext()), _write_decimal),
        Setting("logging", _logging, _write_logging),
        *(attribute(sys, name) for name in ("displayhook", "excepthook", "unraisablehook", "breakpointhook")),
        attribute(sys, "dont_write_bytecode"),
        attribute(threading, "excepthook"),
    ]
    with contextlib.suppress(AttributeError):  # Python 3.11, and the latest releases before it
        settings.append(Setting("digits of integers", sys.get_int_max_str_digits, sys.set_int_max_str_digits))
    return settings


def stop_timers() -> None:
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
    signal.set_wakeup_fd(-1)
