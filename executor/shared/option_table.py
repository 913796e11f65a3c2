"""The permitted contents of OPTIONS. Shared: the syntax process reports what is wrong with OPTIONS before a program is
accepted, and a worker refuses to run a program that reaches it nevertheless. Imports neither side, nor torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mode_table import CHOSEN

DTYPES = ("float32", "float64", "bfloat16", "float16")
AUTOCAST = DTYPES[2:]
CHOICES = {"mode": CHOSEN, "default_dtype": DTYPES, "autocast": AUTOCAST}  # names that may be misspelt
MOST = {"calls": 8, "threads": 64}
CONFIGS = ("dynamo_config", "functorch_config", "inductor_config")
# With these, compiled code raises or runs more than the program says, by design.
AIDS = {
    "dynamo_config": ("repro_after", "verify_correctness"),
    "functorch_config": ("fake_tensor_crossref",),
    "inductor_config": ("fx_passes_numeric_check", "nan_asserts", "runtime_triton_nan_asserts"),
}


@dataclass(frozen=True)
class Rule:
    fits: Callable[[Any], bool]
    wanted: str
    type: type | None = None  # required before anything else is checked


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(name: str, value: Any) -> bool:
    return type(value) is int and 1 <= value <= MOST[name]


def _is_settings(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _is_mark(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(entry, (list, tuple)) and len(entry) == 2 and all(type(number) is int for number in entry)
        for entry in value
    )


def _one_of(name: str) -> Rule:
    return Rule(lambda value: value in CHOICES[name], f"one of {', '.join(map(repr, CHOICES[name]))}")


FLAG = Rule(_is_flag, "True or False", bool)
MARKS = Rule(_is_mark, "a list of [number of the input, dimension]", list)
SETTINGS = Rule(_is_settings, "a dict of settings by name", dict)
RULES: dict[str, Rule] = {
    "train": FLAG,
    "grad": FLAG,
    "backward": FLAG,
    "dynamic": FLAG,
    "fullgraph": FLAG,
    "graph": FLAG,
    "own_random": FLAG,
    "mark_dynamic": MARKS,
    "mark_unbacked": MARKS,
    **{name: Rule(partial(_is_count, name), f"a number from 1 to {most}") for name, most in MOST.items()},
    **dict.fromkeys(CONFIGS, SETTINGS),
    "mode": _one_of("mode"),
    "autocast": Rule(lambda value: _is_flag(value) or value in AUTOCAST, "True, False, 'bfloat16' or 'float16'"),
    "default_dtype": _one_of("default_dtype"),
}
