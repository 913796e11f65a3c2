"""One call of a program: of its model, of a function that takes the model's tensors as arguments, or of a step."""

import builtins
import types
from collections.abc import Callable
from typing import Any

import torch

Called = Callable[..., Any]


class Subject:
    """`functional`: the model's parameters and buffers are arguments, as in torch.func. A program that defines
    `step(model, inputs, state)` is always called through that."""

    def __init__(self, module: types.ModuleType, model: torch.nn.Module, functional: bool) -> None:
        self.model = model
        self._step: Called | None = getattr(module, "step", None)
        self._functional = functional and self._step is None
        make_state = getattr(module, "get_state", None) if self._step else None
        self.state: Any = make_state(model) if make_state else {}

    @property
    def is_step(self) -> bool:
        return self._step is not None

    def called(self, compiled: Callable[[Any], Called]) -> Called:
        """The callable for the arguments of the program's inputs. `compiled`: the identity if nothing is compiled."""
        if self._step is not None:
            step = compiled(self._step)
            return lambda *positional, **named: step(self.model, named or list(positional), self.state)
        if self._functional:
            # Dynamo stores what it needs in the globals of the function it compiles: these must not be ours.
            function = compiled(
                types.FunctionType(_functional_call.__code__, {"torch": torch, "__builtins__": builtins})
            )
            return lambda *positional, **named: function(self.model, self._tensors(), positional, named)
        return compiled(self.model)

    def _tensors(self) -> dict[str, torch.Tensor]:
        return {**dict(self.model.named_parameters()), **dict(self.model.named_buffers())}


def _functional_call(
    model: torch.nn.Module, tensors: dict[str, torch.Tensor], positional: tuple, named: dict[str, Any]
) -> Any:
    return torch.func.functional_call(model, tensors, positional, named)
