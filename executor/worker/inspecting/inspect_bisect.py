"""torch's CompilerBisector on the whole program, in this process: finds the backend, the subsystem and the application
of it that make the program's own compiled run wrong, and the variables that reproduce this."""

import contextlib
import dataclasses
import gc
import importlib
import os
import shutil
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import mode_table
from bisect_fault import Fault, sentence
from inspect_minify import OutOfBudget, silent
from inspect_missing import NotInTorch

if TYPE_CHECKING:
    from inspect_subject import Subject

VARIABLES = ("TORCH_BISECT_BACKEND", "TORCH_BISECT_SUBSYSTEM", "TORCH_BISECT_MAX")
CONFIGS = {"inductor": "torch._inductor.config", "aot_eager_decomp_partition": "torch._functorch.config"}


def bisect(subject: "Subject") -> None:
    module = _torchs_own()
    if subject.program.options.graph or mode_table.ROWS[subject.own_mode].is_exported:
        subject.text.write("compiled without torch.compile: the bisector has no hold on it, use minify-aot\n")
        return
    whole = Fault(subject)
    subject.text.write(whole.in_words())
    if not whole.faults:
        return
    with _own_state(module, os.path.join(subject.folder, "bisect")):
        Search(subject, module, whole).run()


def _torchs_own() -> Any:
    try:
        module = importlib.import_module("torch._inductor.compiler_bisector")
    except ImportError:
        raise NotInTorch("accuracy-aot", "it has no CompilerBisector") from None
    if not hasattr(module, "CompilerBisector") or not hasattr(module, "get_env_val"):
        raise NotInTorch("accuracy-aot", "its CompilerBisector is a different one")
    return module


@dataclasses.dataclass(frozen=True)
class Asked:
    """What the bisector has switched on for a question."""

    backend: str
    subsystem: str = ""
    stage: str = ""  # the subsystem, by the bisector's name
    most: int | None = None  # number of the subsystem's last application that is on, counted from 0; -1: none
    setting: str = ""

    @property
    def variables(self) -> dict[str, str]:
        """The variables a user sets for the same effect; a setting has no variable."""
        values = [self.backend] if self.most is None else [self.backend, self.subsystem, str(self.most)]
        return dict(zip(VARIABLES, values, strict=False))

    @property
    def line(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.variables.items())

    def in_words(self) -> str:
        if self.setting:
            return f"{self.line} with {self.setting}"
        return f"{self.line}, counting {self.subsystem}" if self.stage == "find_max_bounds" else self.line


class Search:
    """One bisection. Each question is written down before it is asked, so that results survive if the process dies."""

    def __init__(self, subject: "Subject", module: Any, whole: Fault) -> None:
        self._subject = subject
        self._module = module
        self._bisector = module.CompilerBisector
        self._whole = whole
        self._told: dict[Asked, bool] = {}

    def run(self) -> None:
        write = self._subject.text.write
        try:
            with silent():
                result = self._bisector.do_bisect(self._is_right, cli_interface=False)
        except OutOfBudget:
            write("the time is spent: what is still wrong above is what was found so far\n")
            return
        except Exception as error:  # flaky programs, subsystems that a backend never uses
            write(f"torch's bisector gave up: {sentence(f'{type(error).__name__}: {error}')}\n")
            return
        if result is None:
            write(f"found nothing: it has no backend that is wrong, though {self._subject.own_mode} is without it\n")
            return
        asked = self._found(result)
        write(f"found: {self._in_words(result, asked)}\n")
        self._check(asked)

    def _is_right(self) -> bool:
        """torch's bisector visits the subsystems repeatedly: one that is off always has the same answer."""
        asked = self._asked()
        if asked not in self._told or asked.stage in ("find_max_bounds", "bisect"):
            self._told[asked] = self._ask(asked)
        return self._told[asked]

    def _ask(self, asked: Asked) -> bool:
        if time.monotonic() > self._subject.deadline:
            raise OutOfBudget
        self._subject.text.write(f"{asked.in_words()}: ")
        wrong, answer = self._whole.still()
        self._subject.text.write(f"{answer}\n")
        return not wrong

    def _asked(self) -> Asked:
        backend, subsystem = self._bisector.get_backend(), self._bisector.get_subsystem()
        if not subsystem:
            return Asked(backend)
        setting = self._setting(backend, subsystem)
        if setting:
            return Asked(backend, subsystem, setting=setting)
        stage = self._bisector.get_run_state(backend, subsystem)
        most = -1 if stage == "test_disable" else None
        if stage == "bisect":
            most = sum(self._bisector.get_bisect_range(backend, subsystem)) // 2
        return Asked(backend, subsystem, stage, most)

    def _setting(self, backend: str, subsystem: str) -> str:
        row = self._bisector.get_subsystem_object(backend, subsystem)
        if not hasattr(row, "config_field"):
            return ""
        return f"{CONFIGS.get(row.config_name, row.config_name)}.{row.config_field} = {row.config_value!r}"

    def _found(self, result: Any) -> Asked:
        if not result.subsystem:
            return Asked(result.backend)
        setting = self._setting(result.backend, result.subsystem)
        return Asked(result.backend, result.subsystem, "", None if setting else result.bisect_number, setting)

    def _in_words(self, result: Any, asked: Asked) -> str:
        if asked.setting:
            return f"backend {asked.backend}, correct with {asked.setting}"
        if asked.subsystem:
            number = f"number {result.bisect_number}, counted from 0"
            return f"backend {asked.backend}, subsystem {asked.subsystem}, {number}: {result.debug_info or 'unnamed'}"
        has = bool(getattr(self._module, "BACKENDS", {}).get(asked.backend))
        return f"backend {asked.backend}, {'in no single subsystem' if has else 'which the bisector does not divide'}"

    def _check(self, asked: Asked) -> None:
        """Sets what a user would set: variables only."""
        asked = dataclasses.replace(asked, setting="")
        if time.monotonic() > self._subject.deadline:
            self._subject.text.write(f"not checked, the time is spent: {asked.line}\n")
            return
        right, _ = self._by_variables(asked)
        self._subject.text.write(f"{'does not show it' if right else 'reproduce'}: {asked.line}\n")
        if not right and asked.most is not None and time.monotonic() < self._subject.deadline:
            before = dataclasses.replace(asked, most=asked.most - 1)
            right, answer = self._by_variables(before)
            self._subject.text.write(f"{'right again' if right else answer}: {before.line}\n")

    def _by_variables(self, asked: Asked) -> tuple[bool, str]:
        forget = self._module.get_env_val.cache_clear
        os.environ.update(asked.variables)
        self._bisector.bisection_enabled = True  # as at the start of a process that has the variables
        self._bisector.in_process_cache = os.path.join(self._subject.folder, "bisect")
        self._module.subsystem_call_counter.clear()
        forget()
        try:
            wrong, answer = self._whole.still()
        finally:
            for name in VARIABLES:
                os.environ.pop(name, None)
            forget()
        return not wrong, answer


@contextlib.contextmanager
def _own_state(module: Any, folder: str) -> Iterator[None]:
    """Uses `folder` instead of the one in torch's cache, where a manual bisection may be in progress: torch's bisector
    starts by deleting it."""
    bisector = module.CompilerBisector
    before = {name: getattr(bisector, name) for name in ("bisection_enabled", "in_process_cache")}
    variables = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    module.get_env_val.cache_clear()
    bisector.in_process_cache = folder
    try:
        yield
    finally:
        gc.collect()  # torch cleans up when an object is destroyed: later than this it would touch what is not ours
        for name, value in before.items():
            setattr(bisector, name, value)
        os.environ.update(variables)
        module.get_env_val.cache_clear()
        module.subsystem_call_counter.clear()
        shutil.rmtree(folder, ignore_errors=True)
