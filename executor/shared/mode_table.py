"""The ways to run a program: the rows of modes.json, which C++ is built from, too (docs/adding-a-mode.md). No imports
of the worker or the syntax process, and none of torch."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    name: str
    about: str
    look: str  # when it runs: chosen, first, closer, ladder or trial (oracle/mode.h)
    backend: str = ""  # of torch.compile; empty: eager
    route: str = ""  # how it is compiled, where not by torch.compile (the worker's routes.py)
    functional: bool = False  # its parameters and buffers are arguments of what is compiled
    uncompiled: bool = False  # graphs are run in place of their code (the worker's graph_forms.py)
    settings: dict[str, Any] = field(default_factory=dict)  # by owner and name: "inductor.freezing"
    off: dict[str, Any] = field(default_factory=dict)  # what they are without it; needed of what is no flag
    compile_mode: str = ""  # how users ask for it: torch.compile(mode=…); empty: by the settings
    words: str = ""  # for it in titles, where neither settings nor compile_mode tell
    options: dict[str, Any] = field(default_factory=dict)  # what else OPTIONS have to say for it to mean anything
    calls: int = 1  # of the model, where OPTIONS say nothing
    dynamic: bool = False  # torch.compile(dynamic=True)
    in_double: bool = False
    normal: bool = False  # nothing it starts from is subnormal
    function: str = ""  # of the worker's modes.py, where one run as it comes is not all
    against: str = ""  # what it is measured against
    swept: bool = False  # asked of a finding in Inductor, to tell how far that reaches
    key: str = ""  # of the configuration's [modes]
    weight: float = 0

    @property
    def is_exported(self) -> bool:
        """It runs what torch.export made of the program."""
        return self.route.startswith("export")


def read(folder: str) -> dict[str, Row]:
    with open(os.path.join(folder, "modes.json"), encoding="utf-8") as file:
        return {row["name"]: Row(**row) for row in json.load(file)}


ROWS = read(os.path.dirname(os.path.abspath(__file__)))
CHOSEN = tuple(name for name, row in ROWS.items() if row.look == "chosen")  # what OPTIONS may name


def asked(row: Row) -> dict[str, Any]:
    """What OPTIONS say where they choose it."""
    return {**row.options, "mode": row.name}


def misfit(row: Row, options: Mapping[str, Any], is_step: bool) -> str:
    """Of OPTIONS with this mode what does not go with it, or with a program that is a step; empty where all does."""
    if options.get("graph") and (row.route or row.functional):
        return f"OPTIONS['graph'] = True: inductor compiles the graph itself, mode {row.name!r} a module"
    for name, wanted in row.options.items():
        if wanted is False and options.get(name):
            return f"OPTIONS[{name!r}] = True: mode {row.name!r} has no gradients"
    if options.get("mark_unbacked") and row.is_exported:
        return f"OPTIONS['mark_unbacked']: mode {row.name!r} knows sizes as dynamic or not"
    if is_step and row.is_exported:
        return f"OPTIONS['mode'] = {row.name!r}: torch.export takes a model; a step is not exported"
    for name in ("own_random", "graph", "backward"):
        if is_step and options.get(name):
            return f"OPTIONS[{name!r}] = True: not for a program that defines step()"
    return ""
