"""A program: its text in its own file, its OPTIONS, and the module made from it."""

import ast
import contextlib
import inspect
import linecache
import pathlib
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import option_check
import torch
from mode_table import ROWS, misfit
from option_table import CONFIGS

try:
    import numpy
except ImportError:  # torch works without it; programs that import it will report that themselves
    numpy = None


def seed_everything(seed: int) -> None:
    torch.manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFF_FFFF)


@dataclass(frozen=True)
class Options:
    train: bool = False
    grad: bool = False
    backward: bool = False
    dynamic: bool = False
    fullgraph: bool = False
    graph: bool = False
    mark_dynamic: list = field(default_factory=list)
    mark_unbacked: list = field(default_factory=list)
    calls: int = 0
    dynamo_config: dict = field(default_factory=dict)
    functorch_config: dict = field(default_factory=dict)
    inductor_config: dict = field(default_factory=dict)
    mode: str = "inductor"
    autocast: bool | str = False
    default_dtype: str = "float32"
    threads: int = 1  # for kernels, on a CPU
    own_random: bool = False  # the compiler draws its own random numbers: draws.py has what must hold nevertheless

    @property
    def call_count(self) -> int:
        return self.calls or ROWS[self.mode].calls

    def casting(self, device: str) -> contextlib.AbstractContextManager:
        """The context for calls of the model, eager and compiled."""
        if not self.autocast:
            return contextlib.nullcontext()
        return torch.autocast(device, dtype=getattr(torch, self.autocast) if isinstance(self.autocast, str) else None)

    @contextlib.contextmanager
    def by_default(self) -> Iterator[None]:
        """The context for everything the program does: sets the default dtype."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(getattr(torch, self.default_dtype))
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def read_options(source: str) -> tuple[Options, str]:
    """OPTIONS as written in the text, without running it, and what is wrong with them."""
    try:
        given = _options_literal(ast.parse(source))
    except (SyntaxError, RecursionError):
        return Options(), ""  # importing the program will raise at the right place
    except (ValueError, TypeError):
        return Options(), "OPTIONS is not a constant dict"
    kept = {name: value for name, value in given.items() if value is not None}
    try:
        for name, value in kept.items():
            option_check.check(name, value)
    except option_check.OptionError as error:
        return Options(), str(error)
    return Options(**kept), ""


def _options_literal(tree: ast.Module) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "OPTIONS" for t in node.targets):
            value = ast.literal_eval(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "OPTIONS":
            value = ast.literal_eval(node.value) if node.value else {}
        else:
            continue
        if not isinstance(value, dict):
            raise TypeError
        found = value
    return found


@dataclass
class Arguments:
    positional: list
    named: dict

    @classmethod
    def of(cls, value: Any) -> "Arguments":
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return cls([], value)
        if isinstance(value, (list, tuple)):
            return cls(list(value), {})
        return cls([value], {})


class Program:
    def __init__(self, source: str, file: str) -> None:
        self.source = source
        self.file = file
        self.options, self.problem = read_options(source)
        path = pathlib.Path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8", errors="surrogateescape")
        linecache.checkcache(file)

    def load(self) -> types.ModuleType:
        """Runs the text as a new module. Every mode gets its own, so that no mode sees what another left in globals."""
        self._check_options()
        module = types.ModuleType("parityd_program")
        module.__file__ = self.file
        sys.modules[module.__name__] = module
        exec(compile(self.source, self.file, "exec", dont_inherit=True), module.__dict__)
        problem = misfit(ROWS[self.options.mode], vars(self.options), is_step=hasattr(module, "step"))
        if problem:
            raise option_check.OptionError(problem)
        return module

    def _check_options(self) -> None:
        if self.problem:
            raise option_check.OptionError(self.problem)
        option_check.check_mode(self.options.mode, ROWS[self.options.mode])
        for option in CONFIGS:
            for name, value in getattr(self.options, option).items():
                option_check.check_config(option, name, value)


def build_model(module: types.ModuleType) -> torch.nn.Module:
    make_init = getattr(module, "get_init_inputs", None)
    init = Arguments.of(make_init()) if make_init else Arguments([], {})
    return module.Model(*init.positional, **init.named)


def make_inputs(module: types.ModuleType, call: int) -> Arguments:
    """The inputs of the given call; later calls request another size if get_inputs has a scale."""
    make = getattr(module, "get_inputs", None)
    if make is None:
        return Arguments([], {})
    try:
        takes_scale = "scale" in inspect.signature(make).parameters
    except (TypeError, ValueError):
        takes_scale = False
    return Arguments.of(make(scale=call + 1) if takes_scale and call > 0 else make())
