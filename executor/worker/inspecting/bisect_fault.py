"""What is wrong with a program's own compiled run: the question that the bisection asks repeatedly."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import modes
import parityd_worker
import run
import state
import torch
from inspect_minify import is_alike, numbers_differ, shown_error, silent
from inspect_subject import Observed
from left_behind import Group

if TYPE_CHECKING:
    from inspect_subject import Subject

LAYOUT = ("stride_differs", "alias_differs", "requires_grad_differs")
# What may be wrong, worst first: only what is as bad as the worst is followed.
SORTS = {
    "error": "",
    "numbers": "in numbers by torch's `same`, as for accuracy-dynamo",
    "tolerance": "in values by assert_close's tolerances, in shape or type: `same` sees nothing",
    "layout": "in strides, storages or requires_grad alone",
}
MOST_PATHS = 6
SENTENCE = 300

Faults = set[tuple[str, str]]  # a kind of fault and its place


class _Kept(Observed):
    """A run that keeps its results."""

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
    """What is wrong with the program's own compiled run. `still` checks whether another run shows the same."""

    def __init__(self, subject: "Subject") -> None:
        self._subject = subject
        self._eager = self._ran("eager")
        self._precise = None if self._eager.error else self._ran("reference", modes.WIDENED)
        again = self._faults_of(self._ran("eager_repeat"))
        subject.text.write(f"eager: {sentence(self._eager.error or 'runs')}\n{subject.own_mode}: ")
        self._compiled = compiled = self._ran(subject.own_mode)
        subject.outcome = {"mode": subject.own_mode, **compiled.outcome}
        unsteady = {place for _, place in again}  # what changes from run to run is not the compiler's fault
        found = {(sort, place) for sort, place in self._faults_of(compiled) if place not in unsteady}
        self._sort = next((sort for sort in SORTS if any(sort == one for one, _ in found)), "")
        self.faults = {fault for fault in found if fault[0] == self._sort}

    def in_words(self) -> str:
        """The result of the compiled run."""
        went = sentence(self._compiled.error or "runs")
        if not self.faults:
            drawn = " (its random numbers are not compared)" if self._subject.program.options.own_random else ""
            return f"{went}, as eager does{drawn}: there is nothing to bisect\n"
        if self._sort == "error":
            return f"{went}\n"
        paths = sorted(path for _, path in self.faults)
        more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
        return f"differs at {', '.join(paths[:MOST_PATHS])}{more}, {SORTS[self._sort]}\n"

    def still(self) -> tuple[bool, str]:
        """Runs the program's own mode, compiled again. Returns whether the fault is still there, and the answer in
        words."""
        ran = self._ran(self._subject.own_mode)
        found = self._faults_of(ran)
        if found & self.faults and (not self._compiled.error or is_alike(self._compiled.error, ran.error)):
            return True, "still wrong"
        return False, f"wrong otherwise, taken for right: {sentence(ran.error)}" if ("error", "") in found else "right"

    def _ran(self, mode: str, way: str = "") -> _Kept:
        state.reset_torch()
        ran = _Kept(self._subject, mode, way)
        with silent():
            ran.run()
        return ran

    def _faults_of(self, ran: _Kept) -> Faults:
        if self._eager.error or ran.error:
            return set() if self._eager.error and ran.error else {("error", "")}
        if self._subject.program.options.own_random:  # it draws other random numbers, as intended
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
        # it does not support every dtype or different shapes: these count as wrong
        except (RuntimeError, NotImplementedError):
            return False


def sentence(text: str) -> str:
    return " ".join(text.split())[:SENTENCE]
