"""The double run of a program through its captured graphs. The program keeps its own tensors in their own types, so
the compiler captures what it would capture otherwise. Each narrow tensor has a double, and the lifted graphs work
only on the doubles. What they do to an input, a parameter or a buffer is rounded and written back to the program's
own tensor."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from device import DOUBLES, Mover
from lift import Lifted, Output, Unliftable, lift


@dataclass
class _Pair:
    narrow: torch.Tensor  # held, so that its id stays unique
    double: torch.Tensor
    version: int  # of `narrow` when the two last agreed
    kept: bool = False  # the program itself rounded it: `narrow` is the whole value

    def agrees(self) -> bool:
        return _version(self.narrow) == self.version


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else tensor._version


class Doubles:
    """The doubles of one run, and the backend that works on them."""

    def __init__(self, device: str, compiled: Callable[[torch.nn.Module], Callable[..., Any]] | None) -> None:
        self.warnings: set[str] = set()
        self.graphs = 0
        self._mover = Mover(device, double=True)
        self._compiled = compiled or (lambda module: module)
        self._pairs: dict[int, _Pair] = {}

    def adopt(self, arguments: Any, model: torch.nn.Module) -> Any:
        """Makes doubles of everything a program starts with, sharing memory as the tensors themselves do. Returns those
        of the arguments."""
        plain = [value for module in model.modules() for value in vars(module).values()]
        state = [*model.parameters(), *model.buffers(), *(value for value in plain if isinstance(value, torch.Tensor))]
        doubles, _ = self._mover.tree((arguments, state))
        for narrow, double in self._mover.copies():
            if narrow.dtype in DOUBLES:
                self._pair(narrow, double)
        return doubles

    def _pair(self, narrow: torch.Tensor, double: torch.Tensor, kept: bool = False) -> torch.Tensor:
        for name, value in vars(narrow).items():
            if name.startswith("_dynamo"):  # which dimensions are dynamic
                setattr(double, name, value)
        self._pairs[id(narrow)] = _Pair(narrow, double, _version(narrow), kept)
        return double

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """What the graphs work on: the double of a narrow tensor, otherwise the tensor."""
        if tensor.dtype not in DOUBLES:
            return tensor
        pair = self._pairs.get(id(tensor))
        if pair is None:
            return self._pair(tensor, self._new(tensor))
        if not pair.agrees():  # plain Python has written to it since
            with torch.no_grad():
                pair.double.copy_(tensor)
            pair.version = _version(tensor)
        return pair.double

    @staticmethod
    def _new(tensor: torch.Tensor) -> torch.Tensor:
        double = tensor.to(DOUBLES[tensor.dtype])
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(double.detach(), requires_grad=tensor.requires_grad)
        return double.detach().requires_grad_() if tensor.is_leaf and tensor.requires_grad else double

    def left(self, tensor: torch.Tensor) -> torch.Tensor:
        """What a run left in `tensor`, in double if it was carried in double."""
        pair = self._pairs.get(id(tensor))
        return pair.double if pair is not None and pair.agrees() and not pair.kept else tensor

    def gradient(self, tensor: torch.Tensor) -> torch.Tensor:
        """Through the graphs a gradient reaches the double; outside them it reaches the tensor itself."""
        double = self.of(tensor)
        found = [part.grad for part in {id(part): part for part in (double, tensor)}.values() if part.grad is not None]
        return sum(found[1:], found[0]) if found else torch.zeros_like(double, requires_grad=False)

    def gradient_if_any(self, tensor: torch.Tensor) -> torch.Tensor | None:
        if tensor.grad is None and (not tensor.is_leaf or self.of(tensor).grad is None):
            return None
        return self.gradient(tensor)

    def backend(self, graph_module: torch.fx.GraphModule, example_inputs: Iterable[Any]) -> Callable[..., Any]:
        del example_inputs
        lifted = lift(graph_module, self.of)
        self.graphs += 1
        self.warnings |= lifted.warnings
        targets: list[Callable[..., Any]] = []

        def run(*inputs: Any) -> list[Any]:
            if not targets:  # not earlier: within a backend nothing else is compiled
                targets.append(self._compiled(lifted.module))
            return self._run(lifted, targets[0], inputs)

        return run

    def _run(self, lifted: Lifted, target: Callable[..., Any], inputs: tuple) -> list[Any]:
        doubles = [self.of(value) if isinstance(value, torch.Tensor) else value for value in inputs]
        for narrow, double in lifted.constants:
            if self.of(narrow) is not double:
                raise Unliftable("a tensor held by a graph got a different double")
        taken = [(value, double) for value, double in zip(inputs, doubles, strict=True) if double is not value]
        taken += lifted.constants
        before = [_version(double) for _, double in taken]
        agreeing = [pair for pair in self._pairs.values() if pair.agrees()]
        results = target(*doubles)
        with torch.no_grad():
            for (narrow, double), version in zip(taken, before, strict=True):
                if _version(double) != version:
                    narrow.copy_(double)
        for pair in agreeing:
            pair.version = _version(pair.narrow)
        own = {id(double): narrow for narrow, double in taken}
        flat = [results] if isinstance(results, torch.Tensor) else results
        return [self._result(value, output, own) for value, output in zip(flat, lifted.outputs, strict=True)]

    def _result(self, value: Any, output: Output, own: dict[int, torch.Tensor]) -> Any:
        if not isinstance(value, torch.Tensor) or output.dtype == value.dtype:
            return value
        if id(value) in own:
            return own[id(value)]
        if output.dtype is None or DOUBLES.get(output.dtype) != value.dtype:
            raise Unliftable(f"a result of type {output.dtype} came out as {value.dtype}")
        narrow = value.to(output.dtype)
        self._pair(narrow, value, output.kept)
        return narrow
