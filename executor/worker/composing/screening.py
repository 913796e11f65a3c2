"""Screens programs: whether they run in eager, found out by running each once on the CPU in this process, a fresh
child.

Fake tensors could tell without running a kernel, but they take five times as long as small kernels, accept what no
kernel accepts, and cannot tell what depends on numbers (docs/mutation.md has the measurements).
"""

import contextlib
import resource
import signal
import types
from collections.abc import Iterator
from typing import Any

import state
import torch
from program import Program, build_model, make_inputs, seed_everything
from subject import Subject

SECONDS = 3.0  # of processor time per program: a mutant may have an endless loop
MOST_ELEMENTS = 1 << 21  # of one input; larger ones cost more time than they find bugs
MOST_BYTES = 2 << 30  # beyond what the process has: a mutant's sizes may multiply to anything


class TooLarge(Exception):
    """An input with more elements than a run should take."""


class WritesShared(Exception):
    """It writes into an input in which several elements share memory: torch requires a clone there and does not define
    the result (torch.Tensor.expand)."""


class Screen:
    """Screens programs, each starting in the state that the first one found."""

    def __init__(self, file: str, seed: int, baseline: state.Baseline) -> None:
        self.file = file
        self.seed = seed
        self.baseline = baseline
        limit_memory()

    def verdict(self, source: str) -> dict[str, Any]:
        """`valid`; `error`: what it raised."""
        error = self.error(source)
        return {"valid": error is None, "error": described(error) if error is not None else ""}

    def error(self, source: str) -> BaseException | None:
        """What the program raised; None if it ran."""
        try:
            with limited():
                self.run(Program(source, self.file))
        except BaseException as error:  # SystemExit and the like are also the program's doing
            return error.with_traceback(None)
        finally:
            self.baseline.restore()
        return None

    def run(self, program: Program) -> None:
        """Runs it as modes.Execution runs eager, without the measurements."""
        with program.options.by_default():
            self._run(program)

    def _run(self, program: Program) -> None:
        options = program.options
        seed_everything(self.seed)
        module = program.load()
        calls = []
        for call in range(options.call_count):
            seed_everything(self.seed + call)
            calls.append(make_inputs(module, call))
        inputs = [tensor for call in calls for tensor in tensors_in([call.positional, call.named])]
        if any(tensor.numel() > MOST_ELEMENTS for tensor in inputs):
            raise TooLarge(f"an input has more than {MOST_ELEMENTS} elements")
        if options.backward:
            for tensor in inputs:
                if tensor.is_leaf and (tensor.is_floating_point() or tensor.is_complex()):
                    tensor.requires_grad_()
        shared = [(tensor, tensor._version) for tensor in inputs if overlaps(tensor)]
        seed_everything(self.seed)
        model = build_model(module).train(options.train)
        outputs = None
        subject = Subject(module, model, functional=False)
        called = subject.called(lambda plainly: plainly)
        with torch.set_grad_enabled(options.grad or options.backward or subject.is_step):
            for call in calls:
                seed_everything(self.seed)
                with options.casting("cpu"):
                    outputs = called(*call.positional, **call.named)
        if any(tensor._version != version for tensor, version in shared):
            raise WritesShared("an input with several elements in one place is written")
        if options.backward:
            targets = [tensor for tensor in tensors_in(outputs) if tensor.requires_grad]
            if targets:
                torch.autograd.backward(targets, [torch.ones_like(tensor) for tensor in targets])


def limit_memory() -> None:
    """An allocation beyond the limit raises in the program; without a limit the kernel would choose which process to
    kill."""
    with open("/proc/self/status", encoding="ascii") as lines:
        used = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = used + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def overlaps(value: torch.Tensor) -> bool:
    """Whether several of its elements share memory."""
    if value.layout != torch.strided or value.is_contiguous():
        return False
    places = torch.zeros((), dtype=torch.int64)
    for size, stride in zip(value.shape, value.stride(), strict=True):
        places = places[..., None] + torch.arange(size) * stride
    return places.unique().numel() < value.numel()


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


@contextlib.contextmanager
def limited() -> Iterator[None]:
    signal.signal(signal.SIGVTALRM, _expire)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def described(error: BaseException) -> str:
    try:
        with limited():  # the text of a program's own exception is computed by its code
            return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    except BaseException as failure:
        return f"<unprintable: {failure.__class__.__name__}>"


def _expire(_signal: int, _frame: types.FrameType | None) -> None:
    raise TimeoutError(f"took longer than {SECONDS} seconds")
