"""Everything a run leaves behind, as groups of leaves in the order of the record: outputs of each call, inputs after
it, state of modules and of the program's globals, gradients."""

import re
import types
from collections.abc import Iterator
from typing import Any

import torch
from doubles import Doubles
from leaves import MOST_BYTES, Known, Leaf, flatten, tensors_in
from opened import is_own, module_attributes
from program import Arguments

Group = tuple[str, list[Leaf]]


def named(arguments: Arguments, root: str) -> Iterator[tuple[str, Any]]:
    """The list that holds them is the harness's own, so it is not a leaf."""
    for index, value in enumerate(arguments.positional):
        yield f"{root}[{index}]", value
    for name, value in arguments.named.items():
        yield f"{root}[{name!r}]", value


def _kept(value: Any, path: str, known: Known) -> Iterator[Leaf]:
    """A number that a program keeps is mostly a sum of losses, read from tensors of single precision."""
    for leaf in flatten(value, path, known, foreign=False):
        narrow = leaf.made and leaf.type_name == "float" and abs(leaf.tensor.item()) <= torch.finfo(torch.float32).max
        yield leaf._replace(tensor=leaf.tensor.float()) if narrow else leaf


class LeftBehind:
    """To be constructed before the first call: whatever exists then and cannot be opened is referred to by name from
    then on."""

    def __init__(
        self, program: types.ModuleType, text: str, model: torch.nn.Module, calls: list[Arguments], held: Any = None
    ) -> None:
        """`held`: what a step keeps from call to call; None if the program has no step."""
        self._held = held
        self._program = program
        self._words = set(re.findall(r"\w+", text))
        self._model = model
        self._known = Known()
        self._before: dict[str, Leaf] = {}
        for call, arguments in enumerate(calls):
            for path, value in named(arguments, "input" if call == len(calls) - 1 else f"call[{call}].input"):
                self._note(list(flatten(value, path, self._known)))
        for _, leaves in self._state(all_of_it=True):
            self._note(leaves)

    def _note(self, leaves: list[Leaf]) -> None:
        for leaf in leaves:
            if leaf.closed is not None:
                self._known.name(leaf.closed, leaf.path)
                name = self._known.name_of(leaf.closed) or ""
                self._before[leaf.path] = Leaf(leaf.path, type(leaf.closed).__name__, None, name)
            elif leaf.tensor is None:
                self._before[leaf.path] = leaf

    def call(self, number: int, outputs: Any, arguments: Arguments, room: int) -> Iterator[Group]:
        """Leaves of a call before the last one. `room`: bytes that may be recorded for it."""
        place = f"call[{number}]"
        left = [("earlier_output", list(flatten(outputs, f"{place}.output", self._known)))]
        left += [("input_after", list(flatten(value, path, self._known)))
                 for path, value in named(arguments, f"{place}.input_after")]  # fmt: skip
        if self._held is not None:
            left += [(group, [leaf._replace(path=f"{place}.{leaf.path}") for leaf in leaves])
                     for group, leaves in self._trained()]  # fmt: skip
        tensors = [leaf.tensor for _, leaves in left for leaf in leaves if leaf.tensor is not None]
        if sum(tensor.numel() * tensor.element_size() for tensor in tensors) > room - MOST_BYTES // 2:
            yield "earlier_output", [Leaf(place, "too large", None, "", closed=outputs)]
        else:
            yield from left

    def all(
        self, outputs: Any, arguments: Arguments, gradients: list[tuple[str, torch.Tensor]], doubles: Doubles | None
    ) -> Iterator[Group]:
        known = Known(self._known)
        for name, module in self._model.named_modules():
            known.name(module, f"model.{name}".rstrip("."))
        yield "output", list(flatten(outputs, "output", known))
        for path, value in named(arguments, "input_after"):
            yield "input_after", list(flatten(value, path, self._known))
        state = list(self._state())
        yield from state
        for name, parameter in self._model.named_parameters(remove_duplicate=False):
            yield "parameter", list(flatten(parameter, f"parameter.{name}"))
        for name, gradient in [*gradients, *self._stray_gradients(outputs, arguments, state, gradients, doubles)]:
            yield "gradient", list(flatten(gradient, f"gradient.{name}"))

    def _stray_gradients(self, outputs: Any, arguments: Arguments, state: list[Group], asked: Any, doubles: Any) -> Any:
        """Gradients that forward itself left."""
        holders = [*tensors_in(arguments.positional, "input"), *tensors_in(arguments.named, "input")]
        holders += [*self._model.named_parameters(), *tensors_in(outputs, "output")]
        holders += [(leaf.path, leaf.tensor) for _, leaves in state for leaf in leaves if leaf.of_program]
        names = {name for name, _ in asked}
        seen: set[int] = set()
        for name, tensor in holders:
            keeps = tensor.is_leaf or tensor.retains_grad
            if id(tensor) in seen:
                continue
            seen.add(id(tensor))  # an input that is returned is no second holder of its gradient
            if name in names or not keeps:
                continue
            gradient = tensor.grad if doubles is None else doubles.gradient_if_any(tensor)
            if gradient is not None:
                yield name, gradient

    def _state(self, all_of_it: bool = False) -> Iterator[Group]:
        """Buffers, tensors that are plain attributes of modules, other attributes, globals of the program. For torch's
        own modules, anything besides tensors is included only if it changed."""
        known = Known(self._known)
        for name, module in self._model.named_modules():
            known.name(module, f"model.{name}".rstrip("."))
        self._name_tensors(known)
        for name, buffer in self._model.named_buffers(remove_duplicate=False):
            yield "buffer", list(flatten(buffer, f"buffer.{name}"))
        for prefix, module in self._model.named_modules():
            own = all_of_it or is_own(module)
            place = f"{prefix}." if prefix else ""
            training = Leaf(f"state.{place}training", "bool", None, repr(module.training))
            yield "state", [leaf for leaf in [training] if all_of_it or self._is_new(leaf)]
            for name, value in module_attributes(module).items():
                if isinstance(value, torch.Tensor):
                    yield "buffer", list(flatten(value, f"buffer.{place}{name}"))
                    continue
                leaves = _kept(value, f"state.{place}{name}", known)
                yield "state", [leaf for leaf in leaves if own or leaf.tensor is not None or self._is_new(leaf)]
        yield from self._step_state(known)
        yield from self._globals(known)

    def _trained(self) -> Iterator[Group]:
        """What each call of a step changes."""
        for name, buffer in self._model.named_buffers():
            yield "buffer", list(flatten(buffer, f"buffer.{name}"))
        for name, parameter in self._model.named_parameters():
            yield "parameter", list(flatten(parameter, f"parameter.{name}"))
            if parameter.grad is not None:
                yield "gradient", list(flatten(parameter.grad, f"gradient.{name}"))
        known = Known(self._known)
        self._name_tensors(known)
        yield from self._step_state(known)

    def _name_tensors(self, known: Known) -> None:
        for name, tensor in [*self._model.named_parameters(), *self._model.named_buffers()]:
            known.name(tensor, f"model.{name}")

    def _step_state(self, known: Known) -> Iterator[Group]:
        if self._held is not None:
            yield "state", list(_kept(self._held, "kept", known))

    def _is_new(self, leaf: Leaf) -> bool:
        before = self._before.get(leaf.path)
        return before is None or before[1:4] != leaf[1:4]

    def _globals(self, known: Known) -> Iterator[Group]:
        for name, value in list(vars(self._program).items()):
            if name not in self._words:  # Dynamo's own: it stores what it made of constants there
                continue
            if name.startswith("__") or name == "OPTIONS" or isinstance(value, types.ModuleType):
                continue
            if not callable(value) or isinstance(value, torch.nn.Module):
                yield "state", list(_kept(value, f"global.{name}", known))
            elif is_own(value):  # a function or a class: its attributes; or an object of the program's
                leaves = _kept(value, f"global.{name}", known)
                yield "state", [leaf for leaf in leaves if leaf.path != f"global.{name}"]
