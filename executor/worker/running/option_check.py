"""What is wrong with OPTIONS. The syntax process has checked them already; what arrives here nevertheless raises."""

import difflib
from typing import Any

import torch
from mode_table import Row
from option_table import AIDS, RULES


class OptionError(ValueError):
    """An entry of OPTIONS without meaning."""


def nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def check(name: str, value: Any) -> None:
    """Raises OptionError."""
    shown = f"OPTIONS[{name!r}] = {value!r}"[:200]
    rule = RULES.get(name)
    if rule is None:
        raise OptionError(f"{shown}: there is no such option{nearest(name, RULES)}")
    if rule.type is not None and type(value) is not rule.type:
        raise OptionError(f"{shown}: its type is {rule.type.__name__}")
    if not rule.fits(value):
        raise OptionError(f"{shown}: {rule.wanted.replace(chr(39), '')}")


def check_config(option: str, name: str, value: Any) -> None:
    """Checks for a setting of the compiler that this torch has, with a value of its type."""
    config = config_of(option.removesuffix("_config"))
    entries = getattr(config, "_config", {})
    shown = f"OPTIONS[{option!r}][{name!r}] = {value!r}"[:200]
    if name in AIDS[option]:
        raise OptionError(f"{shown}: it is an aid for debugging, with which compiled code does more than the program")
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


def has_setting(config: Any, name: str) -> bool:
    try:
        getattr(config, name)
    except (AttributeError, TypeError):
        return False
    return True


def check_mode(mode: str, row: Row) -> None:
    """A mode none of whose settings this torch has would repeat another mode's run."""
    missing = [setting for setting in row.settings if not _is_there(setting)]
    if row.settings and len(missing) == len(row.settings):
        shown = f"OPTIONS['mode'] = {mode!r}"
        raise OptionError(f"{shown}: torch {torch.__version__} has no such setting as {missing[0]!r}")


def _is_there(setting: str) -> bool:
    owner, _, name = setting.partition(".")
    return has_setting(config_of(owner), name)


def config_of(owner: str) -> Any:
    """The configuration of `dynamo`, `functorch` or `inductor`."""
    import torch._dynamo.config
    import torch._functorch.config
    import torch._inductor.config

    return getattr(torch, f"_{owner}").config
