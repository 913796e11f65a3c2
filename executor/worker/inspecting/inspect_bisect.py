"""torch's CompilerBisector on the whole program, in this process: the backend, the subsystem and the application of it
that make the program's own compiled run wrong, and the variables that show it."""

import contextlib
import dataclasses
import gc
import importlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import mode_table
import modes
import parityd_worker
import run
import state
import torch
from inspect_minify import OutOfBudget, is_alike, numbers_differ, shown_error, silent
from inspect_missing import NotInTorch
from inspect_subject import Observed
from left_behind import Group

if TYPE_CHECKING:
    from inspect_subject import Subject

VARIABLES = ("TORCH_BISECT_BACKEND", "TORCH_BISECT_SUBSYSTEM", "TORCH_BISECT_MAX")
CONFIGS = {"inductor": "torch._inductor.config", "aot_eager_decomp_partition": "torch._functorch.config"}
LAYOUT = ("stride_differs", "alias_differs", "requires_grad_differs")
# What may be wrong, the worst first: only what is as bad as the worst is followed.
SORTS = {
    "error": "",
    "numbers": "in numbers by torch's `same`, as for accuracy-dynamo",
    "tolerance": "in values by assert_close's tolerances, in shape or type: `same` sees nothing",
    "layout": "in strides, storages or requires_grad alone",
}
MOST_PATHS = 6
SENTENCE = 300

Faults = set[tuple[str, str]]  # a sort and where


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
        raise NotInTorch("accuracy-aot", "its CompilerBisector is another one")
    return module


# ---- what is wrong


class _Kept(Observed):
    """A run that keeps what it leaves."""

    def __init__(self, subject: "Subject", mode: str, way: str = "") -> None:
        plan = modes.Plan(mode, subject.own_mode, subject.message["device"], subject.message["seed"], way=way)
        super().__init__(subject, plan, {}, None)
        self.left: dict[str, torch.Tensor] = {}

    def run(self) -> None:
        super().run()
        self.recorder.next_phase()

    @property
    def error(self) -> str:
        error = self.outcome.get("error")
        return shown_error(error["outer_class"], error["inner_class"], error["message"]) if error else ""

    def _record(self, left: Iterator[Group], recorder: Any, observer: Any) -> None:
        super()._record(self._keeping(left), recorder, observer)

    def _keeping(self, left: Iterator[Group]) -> Iterator[Group]:
        for group, flat in left:
            leaves = list(flat)
            self.left |= {leaf.path: leaf.tensor.detach().clone() for leaf in leaves if leaf.tensor is not None}
            yield group, leaves


class Fault:
    """What is wrong with the program's own compiled run. `still` asks whether the same is wrong with another."""

    def __init__(self, subject: "Subject") -> None:
        self._subject = subject
        self._eager = self._ran("eager")
        self._precise = None if self._eager.error else self._ran("reference", modes.WIDENED)
        again = self._faults_of(self._ran("eager_repeat"))
        subject.text.write(f"eager: {_sentence(self._eager.error or 'runs')}\n{subject.own_mode}: ")
        self._compiled = compiled = self._ran(subject.own_mode)
        subject.outcome = {"mode": subject.own_mode, **compiled.outcome}
        unsteady = {place for _, place in again}  # what changes from run to run is not the compiler's
        found = {(sort, place) for sort, place in self._faults_of(compiled) if place not in unsteady}
        self._sort = next((sort for sort in SORTS if any(sort == one for one, _ in found)), "")
        self.faults = {fault for fault in found if fault[0] == self._sort}

    def in_words(self) -> str:
        """How the compiled run went."""
        went = _sentence(self._compiled.error or "runs")
        if not self.faults:
            drawn = " (its random numbers are not compared)" if self._subject.program.options.own_random else ""
            return f"{went}, as eager does{drawn}: there is nothing to bisect\n"
        if self._sort == "error":
            return f"{went}\n"
        paths = sorted(path for _, path in self.faults)
        more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
        return f"differs at {', '.join(paths[:MOST_PATHS])}{more}, {SORTS[self._sort]}\n"

    def still(self) -> tuple[bool, str]:
        """Of the own mode, compiled anew; and the answer in words."""
        ran = self._ran(self._subject.own_mode)
        found = self._faults_of(ran)
        if found & self.faults and (not self._compiled.error or is_alike(self._compiled.error, ran.error)):
            return True, "still wrong"
        return False, f"wrong otherwise, taken for right: {_sentence(ran.error)}" if ("error", "") in found else "right"

    def _ran(self, mode: str, way: str = "") -> _Kept:
        state.reset_torch()
        ran = _Kept(self._subject, mode, way)
        with silent():
            ran.run()
        return ran

    def _faults_of(self, ran: _Kept) -> Faults:
        if self._eager.error or ran.error:
            return set() if self._eager.error and ran.error else {("error", "")}
        if self._subject.program.options.own_random:  # other numbers are drawn, which is as it should be
            return set()
        pairs = [(self._eager.plan.name, ran.plan.name)]
        (measured,) = json.loads(parityd_worker.compare([self._eager.recorder, ran.recorder], pairs))
        found: Faults = set()
        for leaf in measured["leaves"]:
            if leaf["group"] == "input":
                continue
            path = leaf["path"]
            found |= {("numbers", path)} if self._not_same(ran, path) else set()
            found |= {("tolerance", path)} if run.leaf_strays(leaf) else set()
            found |= {("layout", path)} if any(leaf.get(fact) for fact in LAYOUT) else set()
        return found

    def _not_same(self, ran: _Kept, path: str) -> bool:
        eager, compiled = self._eager.left.get(path), ran.left.get(path)
        if eager is None or compiled is None:
            return False
        try:
            return numbers_differ(eager, compiled, self._precise.left.get(path) if self._precise else None)
        except (RuntimeError, NotImplementedError):  # it takes neither every dtype nor other shapes: these stray
            return False


def _sentence(text: str) -> str:
    return " ".join(text.split())[:SENTENCE]


# ---- what is asked


@dataclasses.dataclass(frozen=True)
class Asked:
    """What the bisector has on for a question."""

    backend: str
    subsystem: str = ""
    stage: str = ""  # of the subsystem, as the bisector calls it
    most: int | None = None  # of the subsystem's applications the last that is on, counted from 0; -1: none is
    setting: str = ""

    @property
    def variables(self) -> dict[str, str]:
        """What a user sets to have the same; a setting has no variable."""
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
    """One bisection. Each question is written down before it is asked: what is found outlives a process that dies."""

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
        except Exception as error:  # flaky programs, subsystems that a backend never asks about
            write(f"torch's bisector gave up: {_sentence(f'{type(error).__name__}: {error}')}\n")
            return
        if result is None:
            write(f"found nothing: it has no backend that is wrong, though {self._subject.own_mode} is without it\n")
            return
        asked = self._found(result)
        write(f"found: {self._in_words(result, asked)}\n")
        self._check(asked)

    def _is_right(self) -> bool:
        """torch's bisector goes over the subsystems again and again: one that is off has one answer."""
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
            return f"backend {asked.backend}, right with {asked.setting}"
        if asked.subsystem:
            number = f"number {result.bisect_number}, counted from 0"
            return f"backend {asked.backend}, subsystem {asked.subsystem}, {number}: {result.debug_info or 'unnamed'}"
        has = bool(getattr(self._module, "BACKENDS", {}).get(asked.backend))
        return f"backend {asked.backend}, {'in none of its subsystems alone' if has else 'which it does not divide'}"

    def _check(self, asked: Asked) -> None:
        """As a user would, by variables alone."""
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
    """A folder in place of the one in torch's cache, where a bisection by hand may be under way: torch's own begins by
    deleting it."""
    bisector = module.CompilerBisector
    before = {name: getattr(bisector, name) for name in ("bisection_enabled", "in_process_cache")}
    variables = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    module.get_env_val.cache_clear()
    bisector.in_process_cache = folder
    try:
        yield
    finally:
        gc.collect()  # torch's own cleaning up is an object's end: after this it would touch what is not ours
        for name, value in before.items():
            setattr(bisector, name, value)
        os.environ.update(variables)
        module.get_env_val.cache_clear()
        module.subsystem_call_counter.clear()
        shutil.rmtree(folder, ignore_errors=True)
