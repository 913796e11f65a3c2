"""What OPTIONS may hold. The syntax process has looked before; what comes here all the same raises."""

import difflib
from typing import Any

import torch

MODES = (
    "inductor",
    "inductor_dynamic",
    "inductor_max_autotune",
    "inductor_reduce_overhead",
    "inductor_freezing",
)
AUTOCAST = ("bfloat16", "float16")
DEFAULT_DTYPES = ("float32", "float64", "bfloat16", "float16")
MOST = {"calls": 8, "threads": 64}
CHOICES = {"mode": MODES, "default_dtype": DEFAULT_DTYPES}
CONFIGS = ("dynamo_config", "functorch_config", "inductor_config")


class OptionError(ValueError):
    """OPTIONS say something that means nothing."""


def nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def check(name: str, value: Any, defaults: dict[str, Any]) -> None:
    """Raises OptionError. `defaults`: every option with a value of its type."""
    shown = f"OPTIONS[{name!r}] = {value!r}"[:200]
    if name not in defaults:
        raise OptionError(f"{shown}: there is no such option{nearest(name, defaults)}")
    if name in CHOICES and value not in CHOICES[name]:
        raise OptionError(f"{shown}: one of {', '.join(CHOICES[name])}")
    if name == "autocast" and not (isinstance(value, bool) or value in AUTOCAST):
        raise OptionError(f"{shown}: True, False, {' or '.join(AUTOCAST)}")
    if name in MOST and not (type(value) is int and 1 <= value <= MOST[name]):
        raise OptionError(f"{shown}: a number from 1 to {MOST[name]}")
    if name not in (*CHOICES, "autocast") and type(value) is not type(defaults[name]):
        raise OptionError(f"{shown}: its type is {type(defaults[name]).__name__}")
    if name == "mark_dynamic" and not all(_is_pair(entry) for entry in value):
        raise OptionError(f"{shown}: a list of [number of the input, dimension]")


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, (list, tuple)) and len(entry) == 2 and all(type(number) is int for number in entry)


def check_config(option: str, name: str, value: Any) -> None:
    """A setting of the compiler that this torch has, with a value of its type."""
    config = _module(option)
    entries = getattr(config, "_config", {})
    shown = f"OPTIONS[{option!r}][{name!r}] = {value!r}"[:200]
    try:
        current = getattr(config, name)
    except (AttributeError, TypeError):
        known = [entry for entry in entries if not entry.startswith("_")]
        raise OptionError(f"{shown}: torch {torch.__version__} has no such setting{nearest(name, known)}") from None
    inside = next((entry for entry in entries if entry.startswith(name + ".")), "")
    if inside:
        raise OptionError(f"{shown}: {name} is a group of settings; name one of them, as {inside!r}")
    wanted = getattr(entries.get(name), "value_type", None) if hasattr(entries, "get") else None
    wanted = wanted if wanted in (bool, int, float, str) else None
    if wanted is None or isinstance(current, bool) != (wanted is bool) or value == current:
        return
    fitting = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}[wanted]
    if type(value) not in fitting:
        raise OptionError(f"{shown}: its type is {wanted.__name__}")


def _module(option: str) -> Any:
    import torch._dynamo.config
    import torch._functorch.config
    import torch._inductor.config

    return getattr(torch, "_" + option.removesuffix("_config")).config
