"""Tells of programs whether they run eager. First with fake tensors, which have shapes and dtypes but no numbers and
run no kernel: that ends what does not fit together, is too large or never ends. What passes, or asks for a number
that a fake tensor has not, is then run once on the CPU: of what fake tensors let through one in ten still raises.
"""

import contextlib
import signal
import types
from typing import Any

import state
import torch
from program import Program, build_model, make_inputs, seed_everything
from torch._subclasses import fake_tensor

SECONDS = 3.0  # of the processor, for one program: a loop that a mutant made endless
MOST_ELEMENTS = 1 << 21  # of one input; larger ones cost the runs more than they find
# What asks for a number that a fake tensor has not.
UNTOLD = (
    fake_tensor.DataDependentOutputException,
    fake_tensor.DynamicOutputShapeException,
    fake_tensor.UnsupportedFakeTensorException,
    fake_tensor.UnsupportedOperatorException,
)


class TooLarge(Exception):
    """An input of more elements than a run should take."""


class Screen:
    """Screens programs, each in the state that the first one met."""

    def __init__(self, file: str, seed: int, baseline: state.Baseline) -> None:
        self.file = file
        self.seed = seed
        self.baseline = baseline

    def verdict(self, source: str) -> dict[str, Any]:
        """`valid`; `error`: what it raised; `told_by`: "fake" or "eager"."""
        program = Program(source, self.file)
        fake = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
        error = self.attempt(program, fake)
        if error is not None and not isinstance(error, UNTOLD):
            return {"valid": False, "error": described(error), "told_by": "fake"}
        error = self.attempt(program, contextlib.nullcontext())
        return {"valid": error is None, "error": described(error) if error else "", "told_by": "eager"}

    def eager_error(self, source: str) -> BaseException | None:
        return self.attempt(Program(source, self.file), contextlib.nullcontext())

    def attempt(self, program: Program, how: contextlib.AbstractContextManager) -> BaseException | None:
        """What it raised."""
        signal.signal(signal.SIGVTALRM, _expire)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            with how:
                self.run(program)
        except BaseException as error:  # SystemExit and its like are the program's doing as well
            return error.with_traceback(None)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.baseline.restore()
        return None

    def run(self, program: Program) -> None:
        """As modes.Execution runs eager, but for what it measures."""
        options = program.options
        seed_everything(self.seed)
        module = program.load()
        calls = []
        for call in range(options.call_count):
            seed_everything(self.seed)
            calls.append(make_inputs(module, call))
        inputs = [tensor for call in calls for tensor in tensors_in([call.positional, call.named])]
        if any(tensor.numel() > MOST_ELEMENTS for tensor in inputs):
            raise TooLarge(f"an input has more than {MOST_ELEMENTS} elements")
        if options.backward:
            for tensor in inputs:
                if tensor.is_leaf and (tensor.is_floating_point() or tensor.is_complex()):
                    tensor.requires_grad_()
        seed_everything(self.seed)
        model = build_model(module).train(options.train)
        outputs = None
        with torch.set_grad_enabled(options.grad or options.backward):
            for call in calls:
                seed_everything(self.seed)
                outputs = model(*call.positional, **call.named)
        if options.backward:
            targets = [tensor for tensor in tensors_in(outputs) if tensor.requires_grad]
            if targets:
                torch.autograd.backward(targets, [torch.ones_like(tensor) for tensor in targets])


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def described(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def _expire(_signal: int, _frame: types.FrameType | None) -> None:
    raise TimeoutError(f"took longer than {SECONDS} seconds")
