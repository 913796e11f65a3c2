"""The modes: the rows of modes.json, from which the C++ is generated, too (docs/adding-a-mode.md). Imports neither the
worker, the syntax process nor torch."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    name: str
    about: str
    look: str  # when it runs: chosen, first, control, stage or trial (oracle/mode.h)
    backend: str = ""  # of torch.compile; empty: eager
    route: str = ""  # how it is compiled, if not by torch.compile (the worker's routes.py)
    functional: bool = False  # parameters and buffers are arguments of the compiled function
    uncompiled: bool = False  # the graphs are run instead of their compiled code (the worker's graph_forms.py)
    settings: dict[str, Any] = field(default_factory=dict)  # by owner and name: "inductor.freezing"
    # their values without this mode; needed for those that are not flags
    off: dict[str, Any] = field(default_factory=dict)
    compile_mode: str = ""  # how users request it: torch.compile(mode=…); empty: by the settings
    words: str = ""  # its name in titles, if settings and compile_mode say nothing
    options: dict[str, Any] = field(default_factory=dict)  # other entries of OPTIONS without which it has no meaning
    calls: int = 1  # of the model, if OPTIONS say nothing
    dynamic: bool = False  # torch.compile(dynamic=True)
    in_double: bool = False
    normal: bool = False  # no starting value is subnormal
    function: str = ""  # of the worker's modes.py, if the mode is more than one plain run
    against: str = ""  # the mode it is compared with
    swept: bool = False  # run for findings in Inductor, to measure their extent
    key: str = ""  # in the configuration's [modes]
    weight: float = 0

    @property
    def is_exported(self) -> bool:
        """Whether it runs the export (torch.export) of the program."""
        return self.route.startswith("export")


def read(folder: str) -> dict[str, Row]:
    with open(os.path.join(folder, "modes.json"), encoding="utf-8") as file:
        return {row["name"]: Row(**row) for row in json.load(file)}


ROWS = read(os.path.dirname(os.path.abspath(__file__)))
CHOSEN = tuple(name for name, row in ROWS.items() if row.look == "chosen")  # modes that OPTIONS may name


def asked(row: Row) -> dict[str, Any]:
    """OPTIONS that choose this mode."""
    return {**row.options, "mode": row.name}


def misfit(row: Row, options: Mapping[str, Any], is_step: bool) -> str:
    """What in these OPTIONS is incompatible with this mode, or with a program that is a step; empty if nothing."""
    if options.get("graph") and (row.route or row.functional):
        return f"OPTIONS['graph'] = True: inductor compiles the graph itself, mode {row.name!r} a module"
    for name, wanted in row.options.items():
        if wanted is False and options.get(name):
            return f"OPTIONS[{name!r}] = True: mode {row.name!r} has no gradients"
    if options.get("mark_unbacked") and row.is_exported:
        return f"OPTIONS['mark_unbacked']: mode {row.name!r} makes sizes dynamic or static, not unbacked"
    if is_step and row.is_exported:
        return f"OPTIONS['mode'] = {row.name!r}: torch.export takes a model; a step is not exported"
    for name in ("own_random", "graph", "backward"):
        if is_step and options.get(name):
            return f"OPTIONS[{name!r}] = True: not for a program that defines step()"
    return ""
