"""The mode `eager_otherwise`: eager runs in which unspecified behaviour is chosen differently, to see whether that
alone gives the results of compiled code. Chosen are the signs of zeros and NaNs (signs.py), the answer to a program
that asks whether it is compiled (questions.py), and whether a checkpoint keeps what it computes (checkpoints.py). The
record holds what each such run made of a leaf, as `zero[3].output[0]`."""

import contextlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from checkpoints import Checkpoints, may_checkpoint
from questions import STACK, Questions, flag_of, may_ask
from rounding import Collected
from signs import Choice, Signs

SECONDS = 8.0
MOST_DRAWS = 32
MESSAGE = 60  # characters of an error's, without the values that follow
TOLD, KEPT, MOVED = "told", "kept", "stack"
WHOLE = (TOLD, KEPT)  # a leaf must be what one such run gives, and so must an error
Run = Callable[[Any, Any, bool], None]  # recorder, observer, whether below torch.compile's own frames


class NothingToChoose(Exception):
    """Nothing unspecified affects the program."""


class Sharing(Collected):
    """Preserves which tensors share memory: one copy per storage."""

    def __init__(self) -> None:
        super().__init__()
        self._copies: dict[int, tuple[Any, Any]] = {}

    def next_phase(self) -> None:
        super().next_phase()
        self._copies.clear()  # the same memory may hold something else by then

    def add_tensor(self, path: str, group: str, type_name: str, tensor: torch.Tensor) -> None:
        super().add_tensor(path, group, type_name, tensor)
        if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg() or tensor.numel() == 0:
            return
        storage = tensor.untyped_storage()
        _, copy = self._copies.setdefault(storage._cdata, (storage, storage.clone()))
        view = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        view.set_(copy, tensor.storage_offset(), tensor.size(), tensor.stride())
        self.entries[-1] = (*self.entries[-1][:4], view, self.entries[-1][5])


class End(NamedTuple):
    kind: str
    collected: Collected
    error: Exception | None


class Draws:
    def __init__(self, run: Run, file: str, source: str) -> None:
        self._run = run
        self._file = file
        self._source = source
        self._until = 0.0
        self.ends: list[End] = []

    def end(self, kind: str, choosing: Any, observer: Any, below: bool = False) -> End:
        collected, caught = Sharing() if kind in WHOLE else Collected(), None
        try:
            with choosing:
                self._run(collected, observer, below)
        except Exception as error:
            caught = error.with_traceback(None)  # frames keep tensors alive
        return End(kind, collected, caught)

    def all(self) -> End:
        """Returns the plain run; `ends` then holds the others."""
        signs = Signs()
        asks = may_ask(self._source)
        questions = Questions(self._file) if asks else contextlib.nullcontext()
        plain = self.end("", questions, signs)
        self._until = time.perf_counter() + SECONDS  # the first run's loading time is not counted
        if asks:
            self._answer(questions.asked | flag_of(self._source))
        if may_checkpoint(self._source):
            self.ends.append(self.end(KEPT, Checkpoints(), contextlib.nullcontext()))
        for choice in _choices(signs):
            if len(self.ends) >= MOST_DRAWS or time.perf_counter() > self._until:
                break
            observer = Signs(choice, frozenset(signs.telling))
            self.ends.append(self.end(choice.kind, contextlib.nullcontext(), observer))
        return plain

    def _answer(self, asked: set[str]) -> None:
        stack = STACK in asked
        yes = frozenset(asked - {STACK})
        for told in [yes, *(frozenset([each]) for each in sorted(yes) if len(yes) > 1)] if yes else []:
            self.ends.append(self.end(TOLD, Questions(self._file, told), contextlib.nullcontext()))
        # Tracebacks show the stack even if the program asks nothing.
        if stack or "traceback" in self._source or "tb_" in self._source:
            for moved in (False, True) if stack else (False,):
                questions = Questions(self._file, yes, moved)
                self.ends.append(self.end(MOVED, questions, contextlib.nullcontext(), below=not moved))


def _choices(signs: Signs) -> list[Choice]:
    """First all operators alike, then each separately."""
    kinds = sorted({choice.kind for choice in signs.choices}, reverse=True)
    alike = [Choice(kind, sign, -1) for kind in kinds for sign in ("other", "positive", "negative")]
    return alike + signs.choices


def draw(run: Run, recorder: Any, file: str, source: str) -> list[dict[str, Any]]:
    """Records what the runs made of each leaf. Returns the observations, for an outcome, of runs that ended
    differently."""
    draws = Draws(run, file, source)
    plain = draws.all()
    if plain.error is not None and not draws.ends:
        raise plain.error
    if not draws.ends:
        raise NothingToChoose(
            "no operator distinguishes signs of zeros or NaNs, nothing is checkpointed, and the program does not ask "
            "whether it is compiled"
        )
    known = {entry[1]: entry for entry in plain.collected.entries if len(entry) > 1}
    for number, end in enumerate(draws.ends):
        for entry in end.collected.entries if end.error is None else []:
            if len(entry) > 1 and entry[2] != "input":
                _record(recorder, entry, f"{end.kind}[{number}].", known, end.kind not in WHOLE)
    return [_ended(end) for end in draws.ends if end.kind in WHOLE and (end.error is None) != (plain.error is None)]


def _ended(end: End) -> dict[str, Any]:
    word = "runs" if end.error is None else type(end.error).__name__
    if end.kind == KEPT and end.error is not None:
        word += f": {str(end.error)[:MESSAGE]}"
    return {"rule": f"{end.kind}_otherwise", "operator": word, "elements": 1, "leaves": ["program"]}


def _record(recorder: Any, entry: tuple, prefix: str, known: dict[str, tuple], only_others: bool) -> None:
    before = known.get(entry[1])
    if only_others and before is not None and _same(entry, before):
        return
    if entry[0] == "value":
        recorder.add_value(prefix + entry[1], *entry[2:])
    else:
        recorder.add_tensor(prefix + entry[1], entry[2], entry[3], entry[4].requires_grad_(entry[5]))


def _same(one: tuple, other: tuple) -> bool:
    if one[0] != other[0] or one[0] == "value":
        return one == other
    a, b = one[4], other[4]
    if a.shape != b.shape or a.dtype != b.dtype or a.layout != b.layout or one[5] != other[5]:
        return False
    if a.layout != torch.strided:
        return True
    return not bool(((a != b) & ~((a != a) & (b != b))).any())
